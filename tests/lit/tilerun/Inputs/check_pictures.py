"""Checks the pictures of a page: each is well-formed SVG that refers to nothing outside, with colours for light and dark; boxes have a
title and a text, unless they are dashed, and lie inside of the image; texts lie inside, too. Prints, for each picture, its title, the texts
outside of boxes, and the titles of boxes after the letter in them."""
import re
import sys
import xml.etree.ElementTree as tree

import limited_styles

page = open(sys.argv[1], encoding="utf-8").read()
assert not re.search(r"(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page), "refers to something outside"
space = "{http://www.w3.org/2000/svg}"
pictures = re.findall(r"<svg.*?</svg>", page, flags=re.S)
assert pictures
for picture in pictures:
    assert "prefers-color-scheme:dark" in picture
    limited_styles.check(picture)
    root = tree.fromstring(picture)
    width, height = float(root.get("width")), float(root.get("height"))
    print("picture:", root.find(space + "title").text)
    for node in root:
        if node.tag == space + "text":
            left = float(node.get("x")) - (6.6 * len(node.text) if node.get("text-anchor") == "end" else 0)
            assert 0 <= left and left + 6.6 * len(node.text) <= width and float(node.get("y")) <= height, node.text
            print("text:", node.text)
        elif node.tag == space + "g":
            x, y = map(float, re.fullmatch(r"translate\(([\d.]+),([\d.]+)\)", node.get("transform")).groups())
            box = node.find(space + "rect")
            assert x + float(box.get("width")) <= width and y + float(box.get("height")) <= height, (x, y)
            letter = node.find(space + "text").text
            assert letter or "w" in node.get("class").split(), node.find(space + "title").text
            print(f"[{letter or ''}]", node.find(space + "title").text)
