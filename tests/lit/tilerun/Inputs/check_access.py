"""Checks a picture of accesses, an SVG image or a page with one: it is well-formed and refers to nothing outside, cells have a letter
that says what their colour says, lie inside the image and do not overlap, conflicts are crossed out, the filled part of a sector is as
long as its number says, and there are colours for light and dark. Prints the titles of cells and sectors, and the lines of text."""
import re
import sys
import xml.etree.ElementTree as tree

import limited_styles

root, width, height = limited_styles.load(sys.argv[1], hasScript=True)
space = limited_styles.SPACE

seen = set()
for cell in root.findall(space + "g[@transform]"):
    x, y = map(float, re.fullmatch(r"translate\((\d+),(\d+)\)", cell.get("transform")).groups())
    boxes = cell.findall(space + "rect")
    assert (x, y) not in seen, (x, y)
    assert all(x + float(b.get("width")) <= width and y + float(b.get("height")) <= height for b in boxes), (x, y)
    seen.add((x, y))
    title, letter = cell.find(space + "title").text, cell.find(space + "text").text
    kind = cell.get("class").split()
    if kind[0] == "v":
        used, full = float(boxes[0].get("width")), float(boxes[1].get("width"))
        assert abs(used / full - int(letter) / 32) < 0.04, title
    elif title.startswith("lane"):
        assert {"p0": "#", "none": ".", "many": "+"}[kind[1]] == letter or letter == "!", title
    else:
        crossed = cell.find(space + "path") is not None
        assert crossed == (letter == "!") == ("in conflict" in title), title
        assert (kind[1] == "none") == (letter == "."), title
        assert letter.isalpha() == (kind[1][0] == "p" and not crossed) == (" by program " in title and not crossed), title
    print(title)
for line in root.findall(space + "text"):
    # A letter of 11 pixels in a monospaced font is 6.6 wide.
    at = float(line.get("x"))
    assert line.get("text-anchor") == "end" or at + 6.6 * len(line.text) <= width, line.text
    assert float(line.get("y")) <= height
    print(line.text)
