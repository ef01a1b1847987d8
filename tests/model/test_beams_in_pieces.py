"""A beam in pieces is one beam to everything that names it: children, frames, forces, loops, outputs, files, pages."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.files import check
from supple.inputs.requests import Outputs
from supple.simulation.result_variables import dataset, displacements, strains
from supple.structures import BeamPieces, Material, Rectangle, beam
from supple.view.pages.scene_json import scene

METAL = Material(E=70e9, nu=0.3, rho=2700.0)
STRIP = Rectangle(0.02, 0.002)
TABLES = """
name = "arm"
[[structure]]
name = "strip"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.02, height = 0.002 }
material = { E = 70e9, nu = 0.3, rho = 2700.0 }
elements = 8
frames = { middle = 3 }
[[structure]]
name = "block"
type = "box"
length = 1.0
width = 0.1
height = 0.1
material = { E = 70e9, nu = 0.3, rho = 2700.0 }
elements = [2, 1, 1]
[[body]]
name = "payload"
parent = "boom"
at = "end"
joint = { type = "revolute", axis = "y" }
mass = 0.1
com = [0.05, 0, 0]
inertia = [1e-4, 1e-4, 1e-4]
[[body]]
name = "boom"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "strip", basis = "craig-bampton", modes = 0, pieces = 4 }
[[frame]]
name = "eye"
body = "boom/5"
position = [0, 0, 0.1]
[[wrench]]
name = "push"
frame = "boom/eye"
force = [0, 0, 0.1]
[[spring_damper]]
name = "stay"
first = "ground"
second = "boom/middle"
stiffness = 10.0
[output]
frames = ["boom/end", "boom/eye", "boom/5"]
nodes = ["boom/end", "boom/6"]
strains = ["boom"]
wrenches = ["boom", "boom.3"]
"""


def pieces(count: int = 4) -> BeamPieces:
    return beam(1.0, STRIP, METAL, 8).with_frame("middle", 3).pieces(count, interfaces=[])


def arm(count: int = 4) -> supple.Mechanism:
    mech = supple.Mechanism("arm")
    mech.add_body("boom", pieces(count), joint=supple.Revolute("y"))
    mech.add_body("payload", supple.RigidBody(0.1, (0.05, 0, 0), (1e-4,) * 3), "boom", supple.Revolute("y"), at="end")
    return mech


def by_hand() -> supple.Mechanism:
    """The same of four bodies."""
    mech = supple.Mechanism("arm")
    piece = beam(0.25, STRIP, METAL, 2).reduce("craig-bampton", modes=0)
    for i in range(4):
        at = (f"p{i - 1}", supple.Fixed(), "end") if i else ("ground", supple.Revolute("y"), None)
        mech.add_body(f"p{i}", piece, *at)
    mech.add_body("payload", supple.RigidBody(0.1, (0.05, 0, 0), (1e-4,) * 3), "p3", supple.Revolute("y"), at="end")
    return mech


@pytest.fixture(scope="module")
def model() -> supple.Model:
    return arm().build()


def test_it_is_what_several_bodies_are(model: supple.Model) -> None:
    other = by_hand().build()
    q, v = model.random_state(1)
    assert model.bodies == ("boom", "boom.2", "boom.3", "boom.4", "payload")
    assert model.coordinates[:2] == ("boom.angle", "boom.mode1")
    assert model.coordinates[7] == "boom.2.mode1"
    assert np.array_equal(model.mass_matrix(q), other.mass_matrix(q))
    assert np.array_equal(model.bias_forces(q, v), other.bias_forces(q, v))
    for name, same in {"boom/end": "p3/end", "boom/5": "p2/1", "boom/middle": "p1/1", "boom/4": "p1/end"}.items():
        for a, b in zip(model.pose(q, name), other.pose(q, same), strict=True):
            assert np.array_equal(a, b)
    assert len({id(x.body) for x in model.description.bodies.values()}) == 2
    assert model.flex is not None
    assert model.flex.mode_row.tolist() == [0] * 6  # rows are there once


def test_children_frames_and_forces_are_on_the_right_piece(model: supple.Model) -> None:
    mech = arm()
    assert (mech.bodies["payload"].parent, mech.bodies["payload"].node) == ("boom.4", "end")
    for at, place in (("5", ("boom.3", "1")), ((0.5, 0, 0), ("boom.2", "end")), (None, ("boom", "start"))):
        mech = arm()
        mech.add_body("camera", supple.RigidBody(0.1), "boom", supple.Fixed(), at)  # type: ignore[arg-type]
        assert (mech.bodies["camera"].parent, mech.bodies["camera"].node) == place
    mech.add_frame("eye", "boom/5", (0, 0, 0.1))
    assert mech.find_frame("boom/eye").body == "boom.3"
    mech.add_wrench("push", "boom/eye", force=(0, 0, 1.0))
    mech.add_spring_damper("stay", "ground", "boom/7", stiffness=10.0)
    mech.close_loop("pin", "boom/6", "ground", supple.Spherical())
    built = mech.build()
    assert built.loops is not None
    q, v = model.random_state(3)
    wrench = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 0.5])
    J = model.jacobian(q, "boom/5", axes="frame")
    a = model.forward_dynamics(q, v, np.zeros(model.nv), external={"boom/5": wrench})
    b = model.forward_dynamics(q, v, J.T @ wrench)
    assert a == pytest.approx(b, rel=1e-6)


def test_outputs_are_those_of_the_whole_beam(model: supple.Model) -> None:
    q = np.array([model.random_state(i)[0] for i in range(3)])
    found = dataset(np.arange(3.0), {"u": displacements(model, ["boom/end", "boom"], q)}, {}).u
    assert [str(x) for x in found.node.values] == ["boom/end", *(f"boom/{i}" for i in range(9))]
    R, p = model.pose(q, "boom")
    tip = (np.swapaxes(R, -1, -2) @ (model.pose(q, "boom/end")[1] - p)[..., None])[..., 0]
    assert found.values[:, 0] == pytest.approx(tip - [1.0, 0, 0])
    assert found.values[:, -1] == pytest.approx(found.values[:, 0])
    assert found.node_x.values[-1] == pytest.approx(1.0)
    bent = dataset(np.arange(3.0), {"strain": strains(model, ["boom"], q)}, {}).strain
    assert len(set(bent.recovery_point.values)) == len(bent.recovery_point)
    assert set(bent.recovery_body.values) == {"boom"}
    label = "boom/5-6 at 6 curvature y"
    assert label in bent.recovery_point.values
    x = model.description.bodies["boom.3"].body.strains  # type: ignore[union-attr]
    assert x is not None
    first = int(model.flex.q_mode[3])  # type: ignore[union-attr]
    row = x.matrix.toarray()[x.labels.index("1-2 at 2 curvature y")]
    assert bent.sel(recovery_point=label).values == pytest.approx(q[:, first : first + 6] @ row)
    assert Outputs(wrenches=["boom", "boom.3"], nodes="boom/8").errors(model) == []
    assert "nodes 0 to 8" in Outputs(nodes="boom/9").errors(model)[0]


def test_modes_and_their_shares_are_those_of_the_beam(model: supple.Model) -> None:
    found = supple.linear.modes(model, fixed=["boom"])
    assert set(found.bodies(0)) == {"boom", "payload"}
    assert sum(found.bodies(0).values()) == pytest.approx(1.0)


def test_a_model_file_has_one_table_for_it(tmp_path: Path) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(TABLES)
    assert check(file) == []
    model = supple.load(file)
    assert model.bodies == ("boom", "boom.2", "boom.3", "boom.4", "payload")
    (tmp_path / "saved").mkdir()
    supple.save(model, tmp_path / "saved" / "arm.toml")
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["arm.boom.h5", "arm.toml"]
    text = (tmp_path / "saved" / "arm.toml").read_text()
    assert text.count("[[body]]") == 2
    assert 'parent = "boom"\n' in text
    again = supple.load(tmp_path / "saved" / "arm.toml")
    assert again == model
    assert again.description.beams.keys() == {"boom"}
    assert len({id(x.body) for x in again.description.bodies.values()}) == len(
        {id(x.body) for x in model.description.bodies.values()}
    )
    result = supple.simulate(model, 1e-3, samples=3, outputs=Outputs(strains="boom", wrenches=["boom", "boom.3"]))
    assert [str(x) for x in result.joint.values] == ["boom", "boom.3"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "pieces = 4",
            "pieces = 0",
            r"body\[2\] 'boom': flexible: pieces: expected a whole number, one or more, got 0",
        ),
        ("pieces = 4", "pieces = 2.5", "'boom': flexible: pieces: expected a whole number, one or more, got 2.5"),
        ("pieces = 4", "pieces = 9", "'boom': flexible: pieces: expected at most its 8 elements, got 9"),
        ('basis = "craig-bampton"', 'basis = "free-free"', "'boom': flexible: pieces: basis: expected one of"),
        ('structure = "strip"', 'structure = "block"', "'boom': flexible: pieces: expected a beam or a beam path"),
        ('at = "end"', 'at = "tip"', "'payload': at: no frame 'tip' on 'boom'; there are"),
        ('parent = "boom"', 'parent = "boom.4"', "'payload': parent: no body 'boom.4'"),
    ],
)
def test_errors_in_a_file_name_the_beam(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(TABLES.replace(old, new, 1))
    with pytest.raises(supple.FileFormatError, match=message):
        supple.load(file)


def test_errors_in_python_name_the_beam() -> None:
    mech = arm()
    with pytest.raises(supple.ModelError, match=r"body 'x': parent: 'boom\.2' is a piece: expected the beam 'boom'"):
        mech.add_body("x", supple.RigidBody(1.0), "boom.2")
    with pytest.raises(supple.ModelError, match=r"body 'x': at: no frame '9' on 'boom'"):
        mech.add_body("x", supple.RigidBody(1.0), "boom", at="9")
    with pytest.raises(supple.ModelError, match=r"body 'x': at: expected a frame or the place of a node"):
        mech.add_body("x", supple.RigidBody(1.0), "boom", at=(0.3, 0, 0))
    with pytest.raises(supple.ModelError, match=r"body 'boom': name: there is a body"):
        mech.add_body("boom", pieces())
    with pytest.raises(supple.ModelError, match=r"no frame 'boom/9'.*, nodes 0 to 8"):
        mech.find_frame("boom/9")
    with pytest.raises(supple.ModelError, match=r"'boom': an equivalent rigid-link system .* got a beam in 4 pieces"):
        supple.erls.build(mech)


def test_the_page_draws_it_as_one(model: supple.Model) -> None:
    q = np.array([model.random_state(i)[0] for i in range(2)])
    drawn = scene(model, np.arange(2.0), q)
    colors = [body["color"] for body in drawn["bodies"]]
    assert colors[:4] == 4 * colors[:1]
    assert colors[4] != colors[0]
    assert [body["name"] for body in drawn["bodies"]] == ["", "", "boom", "", "payload"]
    for body in drawn["bodies"][:4]:
        (surface,) = body["surfaces"]
        steps = np.frombuffer(base64.b64decode(surface["vertices"]), "<u2").reshape(-1, 3)
        x = surface["low"][0] + surface["step"][0] * steps[:, 0]
        assert (x.min(), x.max()) == pytest.approx((0.0, 0.25), abs=1e-5)


def test_a_copy_and_other_numbers_keep_the_beam(model: supple.Model) -> None:
    other = model.with_parameters({"payload.mass": 0.2, "boom.angle.damping": 0.1})
    assert other.description.beams.keys() == {"boom"}
    assert other.mass == pytest.approx(model.mass + 0.1)
