"""The reference page of model files, made from the schema: `python -m supple.files.reference > docs/model_files.md`."""

from __future__ import annotations

from typing import Any

from supple.expressions.operations import FUNCTIONS
from supple.files import (
    assemblies,
    constraints,
    controller_tables,
    file_table,
    flexible_tables,
    imported_structures,
    inputs,
    joints,
    plates,
    schema,
    sections,
    structure_table,
    structures,
    vector_schema,
    visuals,
    wrenches,
)
from supple.files.dh import DHTable
from supple.files.equations import EquationsTable
from supple.files.file_table import FileTable, form
from supple.files.formulation import FormulationTable, LinkModesTable
from supple.files.live import LiveTable
from supple.files.output import OutputTable
from supple.files.simulation import SimulationTable
from supple.files.sweep_table import SweepTable

EXAMPLE = """\
name = "pendulum on a cart"
gravity = [0, 0, -9.81]

[[body]]
name = "cart"
joint = { type = "prismatic", axis = "x", damping = 0.5 }
mass = 2.0

[[body]]
name = "arm"
parent = "cart"
joint = { type = "revolute", axis = "y" }
at = "pivot"
mass = 1.0
com = [0, 0, -0.5]
inertia = [0.083, 0.083, 0.001]

[[frame]]
name = "pivot"
body = "cart"
position = [0, 0, 0.1]

[[spring_damper]]
name = "spring"
first = "ground"
second = "cart"
stiffness = 40.0

[simulation]
duration = 10.0
samples = 501

[simulation.q]
arm.angle = 0.3
"""

FLEXIBLE_EXAMPLE = """\
name = "boom on a hub"

[[material]]
name = "aluminium"
E = 70e9
nu = 0.33
rho = 2700

[[structure]]
name = "boom"
type = "beam"
length = 2.0
section = { type = "tube", radius = 0.02, thickness = 0.002 }
material = "aluminium"
elements = 10
frames = { middle = 5 }

[[structure.point_mass]]
at = "end"
mass = 0.5

[[body]]
name = "hub"
joint = { type = "revolute", axis = "z" }
mass = 10.0
inertia = [1.0, 1.0, 1.0]

[[body]]
name = "boom"
parent = "hub"
joint = { type = "fixed" }
at = [0.3, 0, 0]
flexible = { structure = "boom", basis = "cantilever", modes = 4, damping = 0.01 }

[[body]]
name = "camera"
parent = "boom"
joint = { type = "universal", first = "z", second = "y" }
at = "middle"
mass = 0.2
inertia = [1e-4, 1e-4, 1e-4]

[[frame]]
name = "antenna"
body = "boom/end"
position = [0, 0, 0.05]
"""

INTRODUCTION = f"""\
# Model files

`supple.load` reads TOML files, which can hold everything a model has, and URDF robot descriptions. `supple.save` writes
TOML, with every number exact, so that reading gives the very same model; flexible bodies go to HDF5 files beside it,
which several bodies can share. `supple check FILE` lists the errors of a file: all for which `supple.load` refuses it,
and those of the tables that describe a run. A file has at most 32 MB and 10,000 bodies, a beam 10,000 elements, a box
100,000 nodes, a reduction 2,000 modes.

This page is generated from the schema: `python -m supple.files.reference > docs/model_files.md`.

## TOML

```toml
{EXAMPLE}```

Bodies can be listed in any order. Units are SI; angles are in radians, except where a key ends in `_deg`. A body's
frame has its origin at its inboard joint; with all coordinates zero it coincides with the joint frame, which is the
parent's frame translated by `at` and rotated by `rotation`. Bodies on fixed joints stay bodies, so that their joint
wrenches can be recorded. `supple.load(path, floating_base=True)` frees the bodies that the file fixes to the ground.

`supple.load` gives the model alone. Actuators, controllers, motions, wrenches by formulas, events, limits and the start
belong to runs: `contents = supple.files.read(path)` has both, and
`supple.simulate(contents.model, **contents.run_arguments())` runs it.
Where `supple.load` leaves such things out, an `OmissionWarning` names them.
"""

FLEXIBLE = f"""\
### Flexible bodies

```toml
{FLEXIBLE_EXAMPLE}```

A body with the key `flexible` deforms. Its frame is fixed to the root of its structure, with the structure's axes; its
coordinates of deformation follow those of its joint: `boom.mode1`, or `boom.12.ux` of a node. The frames and nodes of
its structure are frames like any other: "boom/end", "boom/middle", "boom/3". Bodies with equal tables share one
reduction, which is computed and stored once.

#### Beams in pieces

```toml
flexible = {{ structure = "strip", basis = "craig-bampton", modes = 0, pieces = 8 }}
```

Deformations are small within a body. With `pieces` a beam becomes a chain of bodies fixed to each other, whose
deflection can be [as large as it likes](how_to/large_deflections.md). The first has the name of the beam and its joint,
the others are `boom.2`, `boom.3`, ...; so are their coordinates, `boom.mode1`, `boom.2.mode1`. Everything else refers
to the whole beam: frames and nodes ("boom/end", "boom/12"), what is attached to it, outputs of nodes and strains. The
cuts are at the nodes nearest to equal lengths.
"""

VISUALS = """\
### Visuals

```toml
[[body]]
name = "wheel"
joint = { type = "revolute", axis = "y" }
mass = 2.0
inertia = [0.05, 0.09, 0.05]
visuals = [
    { type = "pipe", radius = 0.3, inner = 0.28, length = 0.04, axis = "y", color = "dimgray" },
    { type = "box", size = [0.58, 0.02, 0.02], color = "#c0c0c0" },
]
```

The list `visuals` of a body has tables with a `type` and the keys listed under it; the list at the top of the file is
on the ground. They are only looked at: they have no mass and touch nothing. Results keep them, with the triangles of
their meshes, so that they can be shown anywhere ([how to](how_to/visuals.md)).
"""

FORMULAS = """\
## Formulas

```toml
[variables]
strength = 2.0

[[actuator]]
speed = "arm.angle"
force = "strength*sin(2*pi*t) - 0.1*rate(arm.angle)"
```

Numbers, names, `+ - * / **`, parentheses, and the functions {FUNCTIONS}. `clip(x, low, high)` keeps x between two
values, `step(x)` is 0 before and 1 after x = 0, `ramp(x)` the larger of x and 0. Names are `t`, `pi`, the names under
`[variables]`, coordinates (`arm.angle`), rates of coordinates (`rate(arm.angle)`), and speeds that are no rates
(`satellite.wx`). A name with other characters stands in quotes: `"left-arm.angle"`. A formula is read as an expression
and becomes part of the equations of motion; it is never run as a program.
""".replace("{FUNCTIONS}", ", ".join(f"`{name}`" for name in sorted(FUNCTIONS)))

VECTOR_EXAMPLE = """\
name = "disc that rolls"
formulation = { name = "vectors" }
gravity = "-g*ground.z"

[parameters]
m = 2.0
r = 0.3
g = 9.81

[[body]]
name = "yaw"
joint = { translations = ["x", "y"], rotations = "3", speeds = "rates", coordinates = ["x", "y", "psi"] }

[[body]]
name = "lean"
parent = "yaw"
joint = { rotations = "1", coordinates = ["phi"] }

[[body]]
name = "disc"
parent = "lean"
joint = { rotations = "2", coordinates = ["theta"] }
at = [0, 0, "r"]
mass = "m"
inertia = ["m*r**2/4", "m*r**2/2", "m*r**2/4"]

[expressions]
slip = "velocity(disc, -r*lean.z)"

[[constraint]]
velocity = "dot(slip, ground.x)"
dependent = "u1"

[[constraint]]
velocity = "dot(slip, ground.y)"
dependent = "u2"

[simulation]
duration = 5.0
v = { u3 = 0.5, u5 = 8.0 }
"""

VECTORS = f"""\
## Systems of vectors

```toml
{VECTOR_EXAMPLE}```

A file with `formulation = {{ name = "vectors" }}` describes a system in symbols, by vectors: forces of any kind, wheels
that roll, loops ([how to](how_to/vectors.md)). `supple run`, `view`, `info`, `check` and `equations` take it;
`supple.load` gives a `supple.symbolic.KaneModel`, and `supple.save` writes one. Numbers may be formulas of the names
under `[parameters]`.
Formulas of vectors have, besides what [formulas](#formulas) have: axes of bodies, `arm.x`, and of the ground,
`ground.z`; sums, and products with scalars; `dot(a, b)`, `cross(a, b)`, `norm(a)`; `vector(body, x, y, z)`;
`position(body)` and `velocity(body)` of the body's origin, or with a second argument of the point at that vector from
it; `angular_velocity(body)`. Names are parameters, inputs, coordinates, speeds, `t`, and those under `[expressions]`.
The tables `[variables]`, `[[actuator]]`, `[[motion]]`, `[[event]]`, `[simulation]` and `[output]` are as above.
"""

URDF = """\
## URDF

`supple.load("robot.urdf", floating_base=False, merge_fixed=True, joint_damping=False, limits=None, mimic=None,
collision=False)`

- **Bodies** have the names of the links; `/` and `.`, which have a meaning in names of frames and coordinates, become
  `_`, with a number appended if that name is taken. Joints go by the link they carry: the coordinate of the joint
  that carries `forearm` is `forearm.angle`.
- **Order**: root first, each branch to its end, joints in the order of their names by character codes. This is the
  order of Pinocchio's joints.
- **Root**: fixed to the ground; with `floating_base=True` on a free joint.
- **Joints**: `revolute` and `continuous` become revolute joints; `prismatic`, `fixed`, `floating` (free) and `planar`
  become the joints of these names. The axis of a planar joint is the normal of its plane, as the format says;
  Pinocchio takes the plane x, y whatever the axis.
- **Fixed joints**: with `merge_fixed=True` a link on a fixed joint becomes part of the link that carries it, and a
  frame keeps its name. Of links fixed to the ground only the frames are kept. A robot without moving joints has no
  coordinates.
- **Limits**: with `limits=True` the limits of a joint, `lower` and `upper`, become stops that `supple.simulate` acts
  on; limits with `lower` not below `upper` are left out with a warning. Limits of velocity and effort are ignored.
- **Mimic joints** keep their own coordinate. With `mimic=True` a gear couples it to the other joint's, and the narrower
  of their limits counts; else both are free, and the relation is kept in `Model.couplings`. A mimic of a joint that
  does not exist is left out with a warning.
- Limits and mimic joints that the model does not act on are named in one `OmissionWarning`, unless `limits=False` and
  `mimic=False` say that they are not wanted.
- **Inertia**: a link without `<inertial>` has no mass. Masses and inertias that no real body can have are kept as they
  are, with one `PhysicsWarning` that lists them.
- **Damping**: the inverse dynamics of Pinocchio leaves `<dynamics>` out, and so does `supple`, so that the two agree;
  `joint_damping=True` takes its damping as joint dampers. Friction is ignored.
- **Visuals**: links are drawn as their `<visual>` geometry, with `collision=True` as their `<collision>` geometry:
  boxes, cylinders, spheres, capsules and meshes, with the colours of their materials; colours inside a mesh file come
  first. A link without any is not drawn, unless no link has some. Meshes are found by `package://`, in the directories
  of `ROS_PACKAGE_PATH`, in `share` of those of `AMENT_PREFIX_PATH` and in the folders above the file; by `file://`; or
  from the folder of the file. They are read when the robot is drawn; one that cannot be read is drawn as the edges of a
  box, with one `OmissionWarning`.
- **Ignored**: textures, transmissions, sensors and elements of other programs.
- **Safety**: a file with a document type is refused, so that no entity is expanded; only the meshes that it names are
  opened, and only to be drawn.
"""

SWEEPS = """\
#### Distributions

```toml
[sweep]
samples = 256
sampler = "sobol"

[sweep.vary]
"body.arm.mass" = { uniform = [0.8, 1.2] }
"material.aluminium.E" = { normal = [70e9, 2e9], truncate = 3 }

[sweep.measure]
peak = "max(abs(arm.angle))"
```

A path names keys joined by dots, and in a list of tables the one that is meant: `body.arm.mass`, `body[2].com[3]`,
`actuator.arm.angle.kp`, `simulation.q.arm.angle`, `simulation.rtol`. It must be in the file, or be a key that it could
have. Its specification is a table with one of these keys:

| key | value | meaning |
|---|---|---|
| `values` | a list | numbers, whole numbers, texts or lists; drawn with equal probability where points are drawn |
| `range` | `[first, last]` | with `steps`: so many numbers at equal distances |
| `uniform` | `[low, high]` | |
| `normal` | `[mean, standard deviation]` | |
| `lognormal` | `[mean, standard deviation]` | of the logarithm |
| `loguniform` | `[low, high]` | uniform logarithm |
| `triangular` | `[low, mode, high]` | |
| any other | a list, or a table by name | a distribution by its name in `scipy.stats`, with its shapes, loc and scale |
| `seed` | `true` | a whole number of its own for each case |

A distribution may have `truncate`: a number of standard deviations about the mean, or `[low, high]`.

#### Measures

A measure is a formula that makes one number of the motion of a case. Names are signals of the results: `arm.angle`,
`v.arm.angle`, `position.boom/end.z` or its end `boom/end.z`, and `t`; names that are no words are put in quotes.
Besides the functions of other formulas there are

| function | of | gives |
|---|---|---|
| `max` `min` `first` `last` `mean` `rms` `peak_to_peak` `integral` | a signal | a number |
| `time_of_max` `time_of_min` | a signal | when that is, s |
| `first` `last` | a condition, with `< <= > >= and or not` | the first or last time at which it holds, s |
| `settling(x, target, band)` | a signal | the time after which it stays within the band about the target, s |
| `at(x, time)` | a signal | its value at a time |
| `frequency(n)` `damping(n)` | a mode, as `supple modes` counts them | Hz; damping ratio; these need no run |
| `stress(body)` `margin(body)` | a flexible body | largest von Mises stress, Pa; margin of safety against yield |
| `rotation(body)` `strain(body)` | a flexible body | largest rotation, rad; strain |
| `buckling(body)` | a flexible body | largest load as a share of the buckling load |

Times are interpolated between the samples of the run. What never happens is not a number.
"""

VECTOR_TABLES: dict[str, type[FileTable]] = {
    "Top level of a system of vectors": vector_schema.VectorFile,
    "formulation of a system of vectors": vector_schema.VectorFormulationTable,
    "[[body]] of a system of vectors": vector_schema.VectorBodyTable,
    "joint of a system of vectors": vector_schema.VectorJointTable,
    "[[force]]": vector_schema.ForceTable,
    "[[torque]]": vector_schema.TorqueTable,
    "[[generalized_force]]": vector_schema.GeneralizedForceTable,
    "[[constraint]] of a system of vectors": vector_schema.VelocityConstraintTable,
    "[[closure]]": vector_schema.ClosureTable,
    "[equations] of a system of vectors": vector_schema.VectorEquationsTable,
}


def page() -> str:
    """The page, in Markdown."""
    parts = [INTRODUCTION, _section("### Top level", schema.ModelFile)]
    parts.append(_section("### [[body]]", schema.BodyTable))
    parts.append("### Joints\n\nThe table `joint` of a body has a `type` and the keys listed under it.\n")
    parts += [
        _section(f'#### type = "{kind}"', table, joints.MovingJointTable) for kind, table in joints.JOINTS.items()
    ]
    parts.append(_section("#### All joints but the fixed one", joints.MovingJointTable))
    parts.append(_section("### Denavit-Hartenberg parameters", DHTable))
    parts.append("### Rotations\n\nThree rows of a rotation matrix, or one of the following tables.\n")
    parts += [_section(f"#### {{ {', '.join(table.model_fields)} }}", table) for table in file_table.TURNS]
    parts += [
        FLEXIBLE,
        _section("#### flexible = { structure, ... }", flexible_tables.ReductionTable),
        _section("#### Choice of modes", flexible_tables.ModeChoiceTable),
        _section("#### flexible = { nodes, mass, frequencies, shapes, ... }", flexible_tables.ModesTable),
        _section("#### flexible = { file }", flexible_tables.StoredTable),
        "### Structures\n\nA `[[structure]]` has a `type` and the keys listed under it.\n",
    ]
    common = structure_table.StructureTable
    parts += [_section(f'#### type = "{kind}"', t, common) for kind, t in structures.STRUCTURES.items()]
    parts += [
        _section("#### All structures", common),
        _section("#### [[structure.point_mass]]", structure_table.PointMassTable),
        _section("#### Layers of plates", plates.LayerTable),
        _section("#### Tangents of imported structures", imported_structures.TangentTable),
        _section("#### Stiffness and mass per area of plates", plates.ABDTable),
        _section("#### [[structure.part]]", assemblies.PartTable),
        _section("#### [[structure.weld]]", assemblies.WeldTable),
        _section("#### [[structure.attach]]", assemblies.AttachTable),
        _section("#### [[structure.bushing]]", assemblies.BushingTable),
        _section("#### [[structure.follow]]", assemblies.FollowTable),
        _section("### Materials", sections.MaterialTable),
        _section("#### Orthotropic materials", sections.OrthotropicTable),
        "### Sections\n\nThe table `section` of a beam has a `type` and the keys listed under it. The section lies in "
        "the y-z plane of the beam; y and z are its principal axes.\n",
    ]
    parts += [_section(f'#### type = "{kind}"', table) for kind, table in sections.SECTIONS.items()]
    parts += [
        VISUALS,
        *(_section(f'#### type = "{kind}"', t, visuals.VisualTable) for kind, t in visuals.VISUALS.items()),
        _section("#### All visuals", visuals.VisualTable),
        _section("### [[frame]]", schema.FrameTable),
        _section("### [[spring_damper]]", schema.SpringDamperTable),
        _section("### [[wrench]]", wrenches.WrenchTable),
        _section("### [[loop]]", schema.LoopTable),
        "### [[constraint]]\n\nA `[[constraint]]` has a `name`, a `type` and the keys listed under it.\n",
        *(
            _section(f'#### type = "{kind}"', table, constraints.ConstraintTable)
            for kind, table in constraints.CONSTRAINTS.items()
        ),
        _section("### [[coupling]]", schema.CouplingTable),
        FORMULAS,
        _section("### [[actuator]]", inputs.ActuatorTable),
        _section("#### [[actuator]] with an FMU", controller_tables.FmuTable),
        _section("### [[controller]]", controller_tables.ControllerTable),
        _section("### [[motion]]", inputs.MotionTable),
        _section("#### { times, values } or { file }", inputs.TimeTable),
        _section("### [[limit]]", inputs.LimitTable),
        _section("### [[event]]", inputs.EventTable),
        _section("### [formulation]", FormulationTable, LinkModesTable),
        _section("#### Modes of links", LinkModesTable),
        _section("### [simulation]", SimulationTable),
        _section("### [output]", OutputTable),
        _section("### [live]", LiveTable),
        _section("### [sweep]", SweepTable),
        SWEEPS,
        _section("### [equations]", EquationsTable),
        VECTORS,
        *(_section(f"### {title}", table) for title, table in VECTOR_TABLES.items()),
        URDF,
    ]
    return "\n".join(parts)


def _section(title: str, table: type[FileTable], common: type[FileTable] = FileTable) -> str:
    """Heading, what the table is, and its keys but those of a `common` one."""
    known = {"type", *common.model_fields}
    rows = [_row(key, table) for key in table.model_fields if key not in known]
    head = ["| key | value | default | meaning |", "|---|---|---|---|"] if rows else []
    text = " ".join((table.__doc__ or "").split())
    return "\n".join([title, "", text, "", *head, *rows, ""] if rows else [title, "", text, ""])


def _row(key: str, table: type[FileTable]) -> str:
    field = table.model_fields[key]
    default = "required" if field.is_required() else _default(field.default)
    return f"| `{key}` | {form(table, key)} | {default} | {field.description} |"


def _default(value: Any) -> str:
    """A default as it would stand in a file; nothing for what is absent."""
    if isinstance(value, FileTable):
        return ""
    return "" if value in (None, [], {}, "") else f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    print(page(), end="")
