"""Equations as textbooks print them: letter by letter for known ones, by their numbers for all."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from supple.expressions.expand import Expansion
from supple.expressions.graph import Graph
from supple.expressions.printers.head import label
from supple.symbolic import readable
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.readable import implicit_latex, implicit_text

# ---------------------------------------------------------------- systems


def pendulum() -> KaneSystem:
    s = KaneSystem("pendulum")
    I1zz, m1, g, L = s.parameters("I1zz", "m1", "g", "L")
    s.gravity = -g * s.ground.axes[1]
    arm = s.add_body(
        "arm",
        joint=KaneJoint(rotations="3", coordinates=["theta"]),
        body=MassProperties(m1, com=(0, -L, 0), inertia=(0, 0, I1zz)),
    )
    s.add_speed_force(arm.speeds[0], s.input("tau"))
    return s


def cart_pendulum() -> KaneSystem:
    s = KaneSystem("cart")
    m1, m2, g, L, I2zz = s.parameters("m1", "m2", "g", "L", "I2zz")
    s.gravity = -g * s.ground.axes[1]
    cart = s.add_body("cart", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m1))
    s.add_body(
        "arm",
        cart,
        joint=KaneJoint(rotations="3", coordinates=["theta"]),
        body=MassProperties(m2, com=(0, -L, 0), inertia=(0, 0, I2zz)),
    )
    s.add_speed_force(cart.speeds[0], s.input("f"))
    return s


def double_pendulum(first: str = "a") -> KaneSystem:
    s = KaneSystem("double pendulum")
    m1, m2, g, L1, L2 = s.parameters("m1", "m2", "g", "L1", "L2")
    s.gravity = -g * s.ground.axes[1]
    upper = s.add_body(
        "upper", joint=KaneJoint(rotations="3", coordinates=[first]), body=MassProperties(m1, com=(0, -L1, 0))
    )
    s.add_body(
        "lower",
        upper,
        joint=KaneJoint(rotations="3", coordinates=["b"]),
        body=MassProperties(m2, com=(0, -L2, 0)),
        at=(0, -L1, 0),
    )
    return s


def gyroscope() -> KaneSystem:
    s = KaneSystem("gyroscope")
    A, B, C = s.parameters("A", "B", "C")
    s.add_body(
        "top",
        joint=KaneJoint(rotations="313", coordinates=["phi", "theta", "psi"]),
        body=MassProperties(inertia=(A, B, C)),
    )
    return s


def rolling_disc() -> KaneSystem:
    s = KaneSystem("disc")
    m, r, g, I, J = s.parameters("m", "r", "g", "I", "J")
    s.gravity = -g * s.ground.axes[2]
    places = ["x", "y", "psi"]
    yaw = s.add_body("yaw", joint=KaneJoint(translations=["x", "y"], rotations="3", coordinates=places, speeds="rates"))
    lean = s.add_body("lean", yaw, joint=KaneJoint(rotations="1", coordinates=["phi"]))
    disc = s.add_body(
        "disc",
        lean,
        joint=KaneJoint(rotations="2", coordinates=["theta"]),
        body=MassProperties(m, inertia=(I, J, I)),
        at=(0, 0, r),
    )
    slip = disc.velocity(-r * lean.axes[2])
    for i in range(2):
        s.constrain(slip @ yaw.axes[i], yaw.speeds[i])
    return s


def slider_crank() -> KaneSystem:
    """A closed loop; the drive has the name of a coordinate, and a coordinate that of no variable."""
    s = KaneSystem("slider crank")
    I, r, L, m2, m3 = s.parameters("I", "r", "L", "m2", "m3")
    crank = s.add_body(
        "crank", joint=KaneJoint(rotations="3", coordinates=["arm.angle"]), body=MassProperties(inertia=(0, 0, I))
    )
    rod = s.add_body(
        "rod",
        crank,
        joint=KaneJoint(rotations="3", coordinates=["phi"]),
        body=MassProperties(m2, com=(L / 2, 0, 0)),
        at=(r, 0, 0),
    )
    slider = s.add_body("slider", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m3))
    gap = rod.position(rod.vector(L, 0, 0)) - slider.position()
    s.close(gap @ s.ground.axes[0], slider.coordinates[0])
    s.close(gap @ s.ground.axes[1], rod.coordinates[0])
    s.add_speed_force(crank.speeds[0], s.input("arm.angle"))
    return s


SYSTEMS: dict[str, Callable[[], KaneSystem]] = {
    make.__name__: make for make in (pendulum, cart_pendulum, double_pendulum, gyroscope, rolling_disc, slider_crank)
}


def text_of(system: KaneSystem) -> str:
    text = implicit_text(system.equations())
    assert text is not None
    return text


# ---------------------------------------------------------------- known equations


def test_pendulum() -> None:
    assert text_of(pendulum()) == "(I1zz + m1*L^2)*theta'' = tau - m1*g*L*sin(theta)\n"


def test_cart_pendulum() -> None:
    """Concurrent Dynamics (2017), equations (M4) and (N4)."""
    assert text_of(cart_pendulum()).splitlines() == [
        "(m1 + m2)*x'' + m2*L*cos(theta)*theta'' = f + m2*L*sin(theta)*theta'^2",
        "m2*L*cos(theta)*x'' + (I2zz + m2*L^2)*theta'' = -m2*g*L*sin(theta)",
    ]


def test_double_pendulum() -> None:
    """By hand, b measured from the upper arm: the lower mass has the velocity L1 a' across the upper arm and
    L2 (a' + b') across the lower one, b between the two, so that

        2 T = m1 L1^2 a'^2 + m2 (L1^2 a'^2 + L2^2 (a' + b')^2 + 2 L1 L2 a' (a' + b') cos b)
        V = -(m1 + m2) g L1 cos a - m2 g L2 cos(a + b)

    d/dt dT/da' = (m1 L1^2 + m2 L1^2 + m2 L2^2 + 2 m2 L1 L2 cos b) a'' + (m2 L2^2 + m2 L1 L2 cos b) b''
                  - m2 L1 L2 sin b (2 a' b' + b'^2),   dT/da = 0
    d/dt dT/db' - dT/db = (m2 L2^2 + m2 L1 L2 cos b) a'' + m2 L2^2 b'' - m2 L1 L2 sin b a' b'
                          + m2 L1 L2 sin b a' (a' + b')
    """
    first, second = text_of(double_pendulum()).splitlines()
    assert first == (
        "(m1*L1^2 + m2*L1^2 + m2*L2^2 + 2*m2*L1*L2*cos(b))*a'' + (m2*L2^2 + m2*L1*L2*cos(b))*b''"
        " = 2*m2*L1*L2*sin(b)*a'*b' - (m1 + m2)*g*L1*sin(a) - m2*g*L2*sin(a + b) + m2*L1*L2*sin(b)*b'^2"
    )
    assert second == ("(m2*L2^2 + m2*L1*L2*cos(b))*a'' + m2*L2^2*b'' = -m2*g*L2*sin(a + b) - m2*L1*L2*sin(b)*a'^2")


def test_gyroscope_has_euler_equations_below_the_kinematical_ones() -> None:
    assert text_of(gyroscope()).splitlines() == [
        "phi' = sin(psi)*u1/sin(theta) + cos(psi)*u2/sin(theta)",
        "theta' = cos(psi)*u1 - sin(psi)*u2",
        "psi' = u3 - cos(theta)*sin(psi)*u1/sin(theta) - cos(theta)*cos(psi)*u2/sin(theta)",
        "",
        "A*u1' = (B - C)*u2*u3",
        "B*u2' = (C - A)*u1*u3",
        "C*u3' = (A - B)*u1*u2",
    ]


def test_rolling_disc() -> None:
    """No power of a sine or cosine too many, and parameters together."""
    lines = text_of(rolling_disc()).splitlines()
    assert lines[:2] == ["x' = r*cos(psi)*theta'", "y' = r*sin(psi)*theta'"]
    assert lines[3] == (
        "(I*cos(phi)^2 + (J + m*r^2)*sin(phi)^2)*psi'' + (J + m*r^2)*sin(phi)*theta''"
        " = 2*(I - J - m*r^2)*sin(phi)*cos(phi)*psi'*phi' - J*cos(phi)*phi'*theta'"
    )
    assert lines[5] == "(J + m*r^2)*sin(phi)*psi'' + (J + m*r^2)*theta'' = -(J + 2*m*r^2)*cos(phi)*psi'*phi'"


def test_a_name_that_two_leaves_have() -> None:
    text = text_of(slider_crank())
    assert "*arm.angle'' = tau[arm.angle] - " in text
    latex = implicit_latex(slider_crank().equations())
    assert latex is not None
    assert "\\ddot{\\text{arm.angle}} \\\\\n  &\\quad = \\tau_{\\text{arm.angle}} - " in latex


def test_names_that_would_read_as_more_are_in_brackets() -> None:
    s = KaneSystem("arm")
    m, L = s.parameters("left-arm.mass", "rod/pin.x")
    joint = KaneJoint(rotations="3", coordinates=["left-arm.angle"])
    s.add_body("left-arm", joint=joint, body=MassProperties(m, com=(L, 0, 0)))
    assert text_of(s) == "[left-arm.mass]*[rod/pin.x]^2*[left-arm.angle]'' = 0\n"


def test_terms_over_one_sum_are_one_fraction() -> None:
    s = KaneSystem("nonlinear spring")
    m, k, c, b = s.parameters("m", "k", "c", "b")
    body = s.add_body("body", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m))
    x, u = body.coordinates[0], body.speeds[0]
    s.add_speed_force(u, -k * x / (b + x * x) - c * u / (b + x * x))
    assert text_of(s) == "m*x'' = -(k*x + c*x')/(b + x^2)\n"
    assert (implicit_latex(s.equations()) or "").splitlines()[1].endswith(r"\right)}{b + x^{2}}")


def test_time_and_a_parameter_with_the_name_of_a_coordinate() -> None:
    s = KaneSystem("shaken mass")
    m, F, x = s.parameters("m", "F", "x")
    body = s.add_body("body", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m))
    s.add_speed_force(body.speeds[0], F * np.sin(s.time) - x * body.coordinates[0])
    assert text_of(s) == "m*x'' = F*sin(t) - parameter[x]*x\n"


# ---------------------------------------------------------------- numbers


def values_of(text: str, names: Mapping[str, float]) -> dict[str, float]:
    """Values of the right sides, and of the left sides under the key "left 1" and so on, line by line."""
    known = dict(names)
    number = 0
    for line in filter(None, text.splitlines()):
        left, right = line.split(" = ")
        if re.fullmatch(r"[\w.]+'?", left) and left not in known:
            known[left] = value(right, known)
        else:
            number += 1
            known[f"left {number}"], known[f"right {number}"] = value(left, known), value(right, known)
    return known


def value(formula: str, names: Mapping[str, float]) -> float:
    """The number that a formula has, functions of `math` and names with dots, primes and brackets in it."""
    words: list[str] = []

    def word(found: re.Match[str]) -> str:
        if found[0] in ("sin", "cos") and found.string[found.end() :].startswith("("):
            return found[0]
        words.append(found[0])
        return f"_{len(words) - 1}_"

    plain = re.sub(r"[A-Za-z][\w.]*(\[[\w.]+\])?'*", word, formula).replace("^", "**")

    def of(node: ast.AST) -> float:
        match node:
            case ast.Expression(body):
                return of(body)
            case ast.Constant(number) if isinstance(number, int | float):
                return float(number)
            case ast.Name(name):
                return names[words[int(name.strip("_"))]]
            case ast.UnaryOp(ast.USub(), x):
                return -of(x)
            case ast.Call(ast.Name(name), [x]):
                return float(getattr(math, name)(of(x)))
            case ast.BinOp(x, operation, y):
                a, b = of(x), of(y)
                match operation:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
                    case ast.Pow():
                        return float(a**b)
        raise AssertionError(ast.dump(node))

    return of(ast.parse(plain, mode="eval"))


def compare(e: EquationsOfMotion, text: str) -> None:
    """The text has the mass matrix, the forces and the rates of the equations, at random numbers."""
    rng = np.random.default_rng(3)
    names = {kind: [x.name for x in getattr(e.variables, kind)] for kind in ("q", "v", "inputs")}
    state = {kind: rng.uniform(0.2, 1.2, len(own)) for kind, own in names.items()}
    parameters = {x.name: float(rng.uniform(0.5, 2.0)) for x in e.variables.symbols}
    given = {"q": state["q"], "v": state["v"], "tau": state["inputs"]}
    wanted = e.implicit.evaluate(parameters, **{key: given[key] for key in e.implicit.inputs})

    known: dict[str, Any] = dict(parameters)
    known |= {f"tau[{name}]": x for name, x in zip(names["inputs"], state["inputs"], strict=True)}
    for kind in ("inputs", "v", "q"):
        known |= dict(zip(names[kind], state[kind], strict=True))
    accelerations = [f"{name}'" for name in names["v"]]
    for name, rate in zip(names["q"], e.terms.rates, strict=True):
        if rate in e.variables.v:
            number = list(e.variables.v).index(rate)
            known[f"{name}'"] = state["v"][number]
            accelerations[number] = f"{name}''"
    for j in range(len(e.variables.v)):
        unit = {name: float(i == j) for i, name in enumerate(accelerations)}
        found = values_of(text, known | unit)
        left, right = ([found[f"{side} {i + 1}"] for i in range(len(e.variables.v))] for side in ("left", "right"))
        np.testing.assert_allclose(left, wanted["M"][:, j], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(right, wanted["f"], rtol=1e-11, atol=1e-11)
        rates = [found[f"{name}'"] for name in names["q"]]
        np.testing.assert_allclose(rates, wanted["rate"], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_text_has_the_numbers_of_the_equations(name: str) -> None:
    e = SYSTEMS[name]().equations()
    text = implicit_text(e)
    assert text is not None
    compare(e, text)


@pytest.mark.parametrize("limit", [2, 3, 4])
@pytest.mark.parametrize("name", ["double_pendulum", "rolling_disc"])
def test_long_entries_have_intermediate_variables(name: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    e = SYSTEMS[name]().equations()
    monkeypatch.setattr(readable, "Expansion", lambda graph: Expansion(graph, limit))
    text = implicit_text(e)
    assert text is not None
    assert text.startswith("Z1 = ")
    compare(e, text)


def test_intermediate_variables_stand_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of the system are not taken; what is short stays as it is."""
    monkeypatch.setattr(readable, "Expansion", lambda graph: Expansion(graph, 3))
    lines = text_of(double_pendulum("Z2")).splitlines()
    blank = lines.index("")
    numbers = [i for i in range(1, blank + 2) if i != 2]
    assert [line.split(" = ")[0] for line in lines[:blank]] == [f"Z{i}" for i in numbers]
    assert "= -Z" in lines[blank + 1]
    assert lines[blank + 2].endswith("= -m2*g*L2*sin(Z2 + b) - m2*L1*L2*sin(b)*Z2'^2")


def test_equations_that_are_all_long_are_left_to_the_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable, "Expansion", lambda graph: Expansion(graph, 1))
    for name in SYSTEMS:
        e = SYSTEMS[name]().equations()
        assert implicit_text(e) is None
        assert implicit_latex(e) is None


def test_a_long_chain_is_left_to_the_listing() -> None:
    s = KaneSystem("chain")
    (m,) = s.parameters("m")
    body: Any = "ground"
    for i in range(12):
        body = s.add_body(f"b{i}", body, joint=KaneJoint(translations=["x"]), body=MassProperties(m))
    assert text_of(s).splitlines()[11] == " + ".join(f"m*q{i + 1}''" for i in range(12)) + " = 0"
    s.add_body("last", body, joint=KaneJoint(translations=["x"]), body=MassProperties(m))
    assert implicit_text(s.equations()) is None


# ---------------------------------------------------------------- typesetting


def test_latex() -> None:
    assert implicit_latex(cart_pendulum().equations()) == (
        "\\begin{align*}\n"
        r"  \left(m_{1} + m_{2}\right) \, \ddot{x} + m_{2} \, L \, \cos\left(\theta\right) \, \ddot{\theta}"
        r" &= f + m_{2} \, L \, \sin\left(\theta\right) \, \dot{\theta}^{2} \\"
        "\n"
        r"  m_{2} \, L \, \cos\left(\theta\right) \, \ddot{x} + \left(I_{2zz} + m_{2} \, L^{2}\right) \, \ddot{\theta}"
        r" &= -m_{2} \, g \, L \, \sin\left(\theta\right)"
        "\n\\end{align*}\n"
    )


def test_latex_of_fractions_has_no_needless_parentheses() -> None:
    latex = implicit_latex(gyroscope().equations())
    assert latex is not None
    first = latex.splitlines()[1]
    assert first == (
        r"  \dot{\phi} &= \frac{\sin\left(\psi\right) \, u_{1}}{\sin\left(\theta\right)}"
        r" + \frac{\cos\left(\psi\right) \, u_{2}}{\sin\left(\theta\right)} \\"
    )
    assert latex.count("{") == latex.count("}")


def test_only_inputs_have_a_kind_in_front() -> None:
    g = Graph()
    assert label(g.input("a:b.angle", "q")) == "a:b.angle"
    assert label(g.parameter("a:b.mass")) == "a:b.mass"
