"""Checks an SVG image, or a page with one, of `tilerun layout`: it is well-formed and refers to nothing outside, every cell
has a rectangle, its lines of text, which fit, and a title, cells do not overlap, all lie inside the image, and there are colours for
light and dark. Prints the titles of the cells."""
import re
import sys
import xml.etree.ElementTree as tree

import limited_styles

root, width, height = limited_styles.load(sys.argv[1])
space = limited_styles.SPACE


def offset(node):
    return [float(n) for n in re.fullmatch(r"translate\(([0-9.]+),([0-9.]+)\)", node.get("transform")).groups()]


seen, titles = set(), []
for grid in root.findall(space + "g"):
    left, top = offset(grid)
    for cell in grid.findall(space + "g"):
        x, y = offset(cell)
        box = cell.find(space + "rect")
        place = (left + x, top + y)
        assert place not in seen, place
        seen.add(place)
        assert place[0] + float(box.get("width")) <= width and place[1] + float(box.get("height")) <= height, place
        lines = [line.text or "" for line in cell.findall(space + "text")]
        assert len(lines) == 2 and lines[0], lines
        # A letter of 11 pixels in a monospaced font is 6.6 wide.
        assert all(len(line) * 6.6 <= float(box.get("width")) for line in lines), lines
        # What the colour says is in the text as well.
        warp = re.search(r"from .*warp (\d+)|warp (\d+)", cell.find(space + "title").text)
        number = warp and (warp.group(1) or warp.group(2))
        assert not re.search(r"w\d", lines[0]) or f"w{number} " in lines[0], lines
        titles.append(cell.find(space + "title").text)
print("\n".join(titles))
