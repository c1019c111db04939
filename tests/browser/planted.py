#!/usr/bin/env python3
"""The checks of browser.py find what they look for: each is shown pages with one mistake, and a page without any. Usage: planted.py"""
import pathlib
import sys
import tempfile

import browser
import hover

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title><style>body{background:#fff;color:#111}
svg text{font:12px monospace;fill:#111}@media(prefers-color-scheme:dark){body{background:#16181c;color:#f2f2f2}svg text{fill:#f2f2f2}}</style></head>
<body><h1>A page with some text on it</h1><p>So that it is not blank, it goes on for a while: a tile is a block of elements that a program works on.</p>%s</body></html>"""
PICTURE = '<svg role="img" width="200" height="60" viewBox="0 0 200 60"><title>t</title>%s</svg>'
CELLS = PICTURE % ('<g class="c" data-k="1"><title>a</title><rect width="30" height="20" fill="#888"/></g>'
                   '<g class="c" data-k="1" transform="translate(40,0)"><title>b</title><rect width="30" height="20" fill="#888"/></g>')
MARK = ("<style>.c.on rect{stroke:red;stroke-width:3}</style><script>const cs=[...document.querySelectorAll('.c')],s=document.querySelector('svg');"
        "s.addEventListener('mouseover',e=>cs.forEach(%s));s.addEventListener('mouseleave',()=>cs.forEach(c=>c.classList.remove('on')))</script>")

# (what is in the page, part of the line that is expected or None)
PLANTED = [
    ("", None),
    (PICTURE % '<text x="5" y="20">one</text><text x="100" y="20">two</text>', None),
    ("<script>undefined_name()</script>", "undefined_name is not defined"),
    ("<script>console.error('planted')</script>", "planted"),
    ("<img src='missing.png' alt=''>", "missing.png"),
    ("<p style='color:#999;background:#fff'>pale words</p>", "pale words"),
    (PICTURE % '<text x="5" y="20" style="fill:#888">pale words</text>', "pale words"),
    (PICTURE % '<text x="180" y="20">leaves</text>', '"leaves" leaves its picture'),
    (PICTURE % '<g class="c"><rect width="20" height="20" fill="none"/><text x="1" y="15">wide</text></g>', '"wide" leaves its cell'),
    (PICTURE % '<text x="5" y="20">one</text><text x="8" y="22">two</text>', "overlap"),
    ("<style>body{background:#fff!important;color:#111!important}</style>", "the background is rgb(255, 255, 255)"),
    ("<style>h1,p{visibility:hidden}</style>", "the picture is blank"),
]
HOVERED = [
    (CELLS + MARK % "c=>c.classList.add('on')", None),
    (CELLS, "marks 0 cells"),
    (CELLS + MARK % "(c,i)=>i||c.classList.add('on')", "marks 1 cells"),
    (CELLS + (MARK % "c=>c.classList.add('on')").replace("red", "none"), "looks like any other"),
    (CELLS + (MARK % "c=>c.classList.add('on')").replace("mouseleave", "never"), "stay marked"),
    ("", "no cell can be marked"),
]


def judge(found, expected):
    """What is wrong with a check, given its lines."""
    if expected is None:
        return [f"finds a mistake where none is: {line}" for line in found]
    return [] if any(expected in line for line in found) else [f"'{expected}' is not found, but {found}"]


def main():
    browser.require()
    wrong = []
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as opened:
        path = pathlib.Path(folder, "page.html")
        for body, expected in PLANTED:
            path.write_text(PAGE % body, encoding="utf-8")
            found = []
            for scheme in browser.SCHEMES:
                opened.open(path, scheme)
                found += browser.look(opened, scheme, ["A page"])
            wrong += judge(found, expected)
        path.write_text(PAGE % "", encoding="utf-8")
        opened.open(path)
        wrong += judge(browser.look(opened, "light", ["words that it lacks"]), "does not show")
        for body, expected in HOVERED:
            path.write_text(PAGE % body, encoding="utf-8")
            opened.open(path)
            wrong += judge(hover.check_cells(opened), expected)
    print("\n".join(wrong) or f"{len(PLANTED) + len(HOVERED) + 1} pages")
    sys.exit(bool(wrong))


main()
