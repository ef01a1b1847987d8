"""A page of a coloured surface of 20,000 triangles: its size, and the time of a frame in a headless browser.

    python -m benchmarks.files.colored_page [--small]

The browser draws without a graphics processor, so that frames take longer than a reader's.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import supple
import supple.view
from supple.structures import Material, box

METAL = Material(E=70e9, nu=0.3, rho=2700)
MOST_BYTES = 5_000_000
FRAMES = 30
PLAY = """(frames) => {
  const { viewer } = window.report, { start, stop } = viewer.motion, begun = performance.now();
  for (let i = 0; i < frames; i++) viewer.seek(start + ((stop - start) * i) / frames);
  viewer.drawing.gl.finish();
  return performance.now() - begun;
}"""


def panel(cells: int) -> tuple[supple.Model, int]:
    """A solid panel that vibrates, and the triangles of its surface."""
    plate = box(1.0, 1.0, 0.01, METAL, (cells, cells, 1), quadratic=False)
    assert plate.surface is not None
    mech = supple.Mechanism("panel")
    mech.add_body("panel", plate.reduce("cantilever", modes=10), joint=supple.Fixed())
    return mech.build(), len(plate.surface.faces)


def seconds_per_frame(page: Path) -> float | None:
    """Mean time in which the browser computes and draws a frame; None without playwright and chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        shown = browser.new_page(viewport={"width": 1100, "height": 900})
        shown.goto(page.as_uri())
        shown.wait_for_timeout(1000)
        time = float(shown.evaluate(PLAY, FRAMES)) / FRAMES / 1000.0
        browser.close()
    return time


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    cells = 8 if parser.parse_args().small else 70
    model, triangles = panel(cells)
    result = supple.simulate(model, 0.2, samples=201)
    with tempfile.TemporaryDirectory() as folder:
        page = supple.view.write_report(model, result, Path(folder) / "panel.html", color="stress")
        size, time = page.stat().st_size, seconds_per_frame(page) if cells > 8 else None
    if size > MOST_BYTES:
        raise SystemExit(f"expected a page of at most {MOST_BYTES:,} bytes, got {size:,}")
    frame = "not measured" if time is None else f"{1000 * time:.0f} ms"
    print(f"triangles {triangles:,}   page {size / 1e6:.2f} MB   frame {frame}")


if __name__ == "__main__":
    main()
