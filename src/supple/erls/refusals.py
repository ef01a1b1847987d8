"""What can be asked of floating frames and not of equivalent rigid links: refused by name, with the reason."""

from __future__ import annotations

from supple.errors import StateError

RECURSION = "it belongs to the recursions of floating frames"
OPERATORS = "spatial operators are those of a tree of bodies, while the minimum-norm condition couples all links"
COMPILED = "`compile` makes a function of this name"
REASONS = {
    "operators": OPERATORS,
    "innovations": OPERATORS,
    "joint_maps": RECURSION,
    "tree": RECURSION,
    "flex": RECURSION,
    "evaluation": RECURSION,
    "workspace": RECURSION,
    "no_wrench": RECURSION,
    "refuse_singular": RECURSION,
    "shape_loads": f"{RECURSION}; links do not stiffen",
    "static_loads": f"{RECURSION}; ask for recovery by displacement",
    "find_frame": f"{RECURSION}; `pose`, `velocity`, `jacobian` take frames by name",
    "casadi": "`printers.to_casadi` takes its `forward_dynamics_function`",
    "inertial_parameters": RECURSION,
    "jacobian_derivative": f"{RECURSION}; `acceleration` has its product with the speeds",
    "regressor": RECURSION,
    "forward_dynamics_derivatives": COMPILED,
    "inverse_dynamics_derivatives": COMPILED,
    "rk4": COMPILED,
    "semi_implicit_euler": COMPILED,
    "leapfrog": COMPILED,
    "constraint_forces": "equivalent rigid links have no closed loops",
    "gradient": "there are no gradients in reverse; `compile` has `derivatives`, `linearize` has slopes",
}
"""By the names of `Model`."""


class RefusedError(StateError, AttributeError):
    """Something that a formulation does not have; `hasattr` is false for it."""


def refused(model: str, name: str) -> RefusedError:
    """The error for an attribute that is asked of an equivalent rigid-link system."""
    if name not in REASONS:
        return RefusedError(f"model {model!r}: an equivalent rigid-link system has no attribute {name!r}")
    return RefusedError(
        f"model {model!r} is an equivalent rigid-link system, which has no {name!r}: {REASONS[name]}; "
        "`mechanism_model()` is the model of the same mechanism in floating frames, as `Mechanism.build` makes it"
    )
