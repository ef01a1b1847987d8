"""The text of the command for modes."""

from __future__ import annotations

import supple
from supple.linear import modes_report


def test_the_report_of_modes() -> None:
    mech = supple.Mechanism("crane")
    mech.add_body("trolley", supple.RigidBody(5.0), joint=supple.Prismatic("x"))
    mech.add_body("load", supple.RigidBody(20.0, (0.1, 0, -3.0)), "trolley", supple.Universal("x", "y", damping=0.5))
    model = mech.build()
    text = modes_report(model)
    assert text.splitlines()[0] == "crane: 3 modes"
    assert "rigid" in text
    assert "generalized forces" in text
    assert "... and 2 more" in modes_report(model, count=1)
    settled = modes_report(model, static=True)
    assert "equilibrium after" in settled
    assert "generalized forces" not in settled
    assert "load.angle2" in settled
    held = modes_report(model, fixed=["trolley"])
    assert "rigid" not in held
    assert all(len(line) < 120 for part in (text, settled, held) for line in part.splitlines())
