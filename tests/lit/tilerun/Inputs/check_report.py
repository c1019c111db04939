"""Checks a report of mismatches, an SVG image or a page with one: it is well-formed and refers to nothing outside, a wrong cell has a
cross and its letter in upper case (so that no colour is needed), cells lie inside the image and do not overlap, a bar is as long as its
number says, and there are colours for light and dark. Prints the titles of the cells and of the bars."""
import re
import sys
import xml.etree.ElementTree as tree

import limited_styles

root, width, height = limited_styles.load(sys.argv[1])
space = limited_styles.SPACE

seen = set()
for cell in root.findall(space + "g[@transform]"):
    x, y = map(float, re.fullmatch(r"translate\((\d+),(\d+)\)", cell.get("transform")).groups())
    size = float(cell.find(space + "rect").get("width"))
    assert (x, y) not in seen and x + size <= width and y + size <= height, (x, y)
    seen.add((x, y))
    title, letter = cell.find(space + "title").text, cell.find(space + "text").text
    wrong = int(re.search(r": (\d+) of", title).group(1))
    assert (cell.find(space + "path") is not None) == (wrong > 0) == (letter.isupper() or letter == "!"), title
    program = re.search(r"program \((\d+), (\d+), (\d+)\)", title)
    assert program is not None if letter.isalpha() and letter.lower() != "x" else True, title
    print(title)
bars = root.findall(space + "g[@class='e']")
longest = max(sum(float(r.get("width")) for r in bar.findall(space + "rect")) for bar in bars)
assert bars and longest <= width
for bar in bars:
    elements, wrong = map(int, re.search(r": (\d+) elements, (\d+) wrong", bar.find(space + "title").text).groups())
    lengths = [float(r.get("width")) for r in bar.findall(space + "rect")]
    assert (lengths[0] > 0) == (wrong > 0) and (lengths[1] > 0) == (elements > wrong), lengths
    assert bar.findall(space + "text")[1].text.startswith(str(elements))
    print(bar.find(space + "title").text)
