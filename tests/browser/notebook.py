#!/usr/bin/env python3
"""Pages of tilerun.show and tilerun.explain in the frames in which notebooks show them. Usage: notebook.py BUILD

A page with two frames and a kernel, as a notebook's output has them: both are drawn, scripts run in them, and their styles change nothing around them.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import browser
import hover

KERNEL = """import numpy, tilerun
tilerun.install()
import triton, triton.language as tl

@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)

x = numpy.arange(20, dtype=numpy.float32)
parts = [copy, tilerun.show(copy, 3, x, x.copy(), 20, BLOCK=8), tilerun.explain(copy, x, x, 20, BLOCK=8, target="hip:gfx942")]
print("<!DOCTYPE html><meta charset='utf-8'><title>notebook</title><h1>notebook</h1>", *(part._repr_html_() for part in parts), sep="\\n")
"""


def check_frame(page, index, words, check):
    from selenium.webdriver.common.by import By

    frame = page.driver.find_elements(By.TAG_NAME, "iframe")[index]
    page.run("arguments[0].scrollIntoView()", frame)
    page.driver.switch_to.frame(frame)
    text = page.run("return document.body.textContent")
    wrong = [f"frame {index} does not show {word!r}" for word in words if word not in text] + check(page)
    page.driver.switch_to.default_content()
    return [f"frame {index}: {line}" for line in wrong]


def main():
    browser.require()
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        path = pathlib.Path(folder, "cell.py")
        path.write_text(KERNEL, encoding="utf-8")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(build / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode:
            sys.exit(done.stderr)
        path = path.with_suffix(".html")
        path.write_text(done.stdout, encoding="utf-8")
        page.open(path)
        wrong = check_frame(page, 0, ["x_ptr = float32[20]", "copy: the accesses"], hover.check_cells)
        wrong += check_frame(page, 1, ["copy for hip:gfx942", "buffer_"], hover.check_boxes)
        if page.run("return getComputedStyle(document.querySelector('h1')).fontFamily").startswith("system-ui"):
            wrong.append("the frames' styles change the notebook's")
        if "tl.constexpr" not in page.run("return document.querySelector('table').innerText"):
            wrong.append("the kernel is not shown as a table of its parameters")
        wrong += [f"console: {message}" for message in page.messages()]
    print("\n".join(wrong) or "2 frames")
    sys.exit(bool(wrong))


main()
