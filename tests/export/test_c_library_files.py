"""What is written, under which names, and what is refused."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import supple
from support.programs.c_libraries import Library, built, chain, flexible_arm, link

FILES = ["CMakeLists.txt", "README.md", "chain.c", "chain.h", "chain_main.c"]


def listed(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_files_replace_those_of_the_same_name_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "chain.c").write_text("old")
    (tmp_path / "own.c").write_text("mine")
    assert supple.export.c_library(chain(1), str(tmp_path), ["energy"]) == tmp_path
    assert listed(tmp_path) == sorted([*FILES, "own.c"])
    assert "chain_energy" in (tmp_path / "chain.c").read_text()
    assert (tmp_path / "own.c").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"functions": ["forward_dynamic"]}, "no function 'forward_dynamic'; did you mean 'forward_dynamics'?"),
        ({"functions": []}, "functions: expected at least one, got none"),
        ({"functions": "energy"}, "functions: expected a sequence of names, got 'energy'"),
        ({"functions": ["energy", "energy"]}, "functions: 'energy' stands twice"),
        ({"functions": ["close_loops"]}, "close_loops: model 'chain' has no closed loops"),
        ({"precision": "half"}, "no precision 'half'; expected one of 'double', 'float'"),
        ({"parameters": ["link0.com.w"]}, "no parameter 'link0.com.w'; did you mean"),
        ({"parameters": "link0.mass"}, "parameters: expected a sequence of names, got 'link0.mass'"),
        ({"frames": ["link"]}, "no frame 'link'; did you mean 'link0'?"),
        ({"frames": []}, "frames: expected at least one, got none"),
        ({"name": " "}, "name: expected a name, got an empty one"),
        ({"start": ([0.0, 0.0], [0.0])}, "q: expected"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(supple.SuppleError, match=re.escape(message)) as error:
        supple.export.c_library(chain(1), tmp_path / "c", **options)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "c").exists()


def test_something_else_than_a_model_is_refused(tmp_path: Path) -> None:
    mech = supple.Mechanism("arm")
    with pytest.raises(supple.StateError, match=r"c_library: expected a Model, got Mechanism 'arm'; `build\(\)` makes"):
        supple.export.c_library(mech, tmp_path)  # type: ignore[arg-type]
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Fixed())
    with pytest.raises(supple.StateError, match="model 'arm' has no degrees of freedom"):
        supple.export.c_library(mech.build(), tmp_path)
    bicycle = supple.files.read(Path(__file__).parents[2] / "examples" / "bicycle.toml").model
    with pytest.raises(supple.StateError, match="is a system of vectors, which c_library does not take"):
        supple.export.c_library(bicycle, tmp_path)


def test_modes_are_no_parameters(tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match="a mode belongs to its flexible body"):
        supple.export.c_library(flexible_arm(), tmp_path / "c", ["energy"], parameters=["boom.mode1.stiffness"])


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(supple.FileFormatError, match="file: cannot be written: File exists"):
        supple.export.c_library(chain(1), tmp_path / "file", ["energy"])
    with pytest.raises(supple.FileFormatError, match="lib: cannot be written: No such file or directory"):
        supple.export.c_library(chain(1), tmp_path / "missing" / "lib", ["energy"])

    (tmp_path / "lib" / "chain.h").mkdir(parents=True)
    with pytest.raises(supple.FileFormatError, match=r"chain\.h: cannot be written: Is a directory"):
        supple.export.c_library(chain(1), tmp_path / "lib", ["energy"])
    assert listed(tmp_path / "lib") == ["chain.h"]
    shutil.rmtree(tmp_path / "lib")

    def full(path: Path, text: str, **options: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(supple.FileFormatError, match="lib: cannot be written: No space left on device"):
        supple.export.c_library(chain(1), tmp_path / "lib", ["energy"])
    assert listed(tmp_path) == ["file"]


def odd_names() -> supple.Model:
    mech = supple.Mechanism("int main(void)??! *")
    names = ["2 arms", "arm-2", "arm 2", "Arm 2", "while", "\u00e9t\u00e9", 'say "??!" \\']
    for i, name in enumerate(names):
        link(mech, name, names[i - 1] if i else "ground")
    return mech.build()


def test_names_become_identifiers(tmp_path: Path) -> None:
    model = odd_names()
    parameters = [f"{x}.mass" for x in model.bodies]
    folder = supple.export.c_library(
        model, tmp_path / "c", ["energy", "pose", "velocity", "rk4"], parameters=parameters
    )
    (header,) = folder.glob("*.h")
    assert header.name == "int_main_void______.h"
    text = header.read_text(encoding="ascii")
    members = re.findall(r"^    \w+_real (\w+); ", text, re.M)
    assert members[:4] == ["x2_arms_mass", "arm_2_mass", "arm_2_mass_", "Arm_2_mass"]
    assert len(set(members)) == len(parameters)
    places = re.findall(r"INT_MAIN_VOID_______FRAME_(\w+) = ", text)
    assert len(set(places)) == len(model.bodies)
    program = built(folder, "program", [x.name for x in folder.glob("*.c")])
    done = subprocess.run([program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines()[0] == ",".join(["time", *model.coordinates])


@pytest.mark.parametrize(("name", "prefix"), [("math", "math_"), ("Chain 2", "chain_2"), ("double", "double_")])
def test_the_prefix_is_no_word_of_c(name: str, prefix: str, tmp_path: Path) -> None:
    folder = supple.export.c_library(chain(1), tmp_path, ["energy"], name=name)
    assert f"{prefix}.h" in listed(folder)
    built(folder, "program", [f"{prefix}.c", f"{prefix}_main.c"], f"-I{folder}")


def test_a_model_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(supple.StateError, match="mass_matrix: too large, model 'chain' has 110 bodies and 110 speeds"):
        supple.export.c_library(chain(110), tmp_path / "c", ["mass_matrix"])
    assert Library(chain(110), tmp_path / "c", ["forward_dynamics"]).folder.is_dir()
