"""How many damaged files are read or refused as they should be? Runs for as long as it is let.

    python tests/support/files/fuzzing.py [SEED] [FILES OF EACH KIND] [KINDS]

The damage is that of `mutated_files.py`, with other seeds: by default 100,000 files of each of its
kinds. Prints each outcome that is wrong, with the kind, the seed and the number that make it again, and fails if there
is one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support.files import mutated_files


def failures(kind: str, seed: int, count: int, folder: Path) -> int:
    """Number of outcomes of a kind that are wrong; a process that ends early goes on behind the file that ended it."""
    first = wrong = 0
    while True:
        command = [sys.executable, mutated_files.__file__, kind, str(count), str(seed), str(folder), str(first)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                print(f"{kind}, seed {seed}: {line}", flush=True)
                wrong += 1
        if done.returncode == 0:
            return wrong
        case = int((folder / "case").read_text())
        print(f"{kind}, seed {seed}, case {case}: ended by {-done.returncode}: {done.stderr[-300:]}", flush=True)
        first, wrong = case + 1, wrong + 1


def main() -> int:
    """Number of outcomes that are wrong."""
    seed, count = (int(x) for x in (*sys.argv[1:3], *("2", "100000")[len(sys.argv) - 1 :]))
    total = 0
    for kind in sys.argv[3:] or mutated_files.KINDS:
        with TemporaryDirectory() as folder:
            wrong = failures(kind, seed, count, Path(folder))
        print(f"{kind}: {count:,} files, {wrong} wrong", flush=True)
        total += wrong
    return total


if __name__ == "__main__":
    sys.exit(min(main(), 1))
