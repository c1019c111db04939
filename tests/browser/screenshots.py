#!/usr/bin/env python3
"""Takes the screenshots of pages that the documentation shows. Usage: screenshots.py TILERUN TREE [--update]

Images that the command writes are in docs/pictures as they are (tests/docs/pictures.py); a page needs a browser to be seen. Each screenshot holds what it
shows as text: its command, and the parts of the page. The test takes them again and compares these, the size, and how much is drawn; with --update it writes them.
"""
import pathlib
import sys
import tempfile

import browser
import hover
import pictures

MOST_BYTES = 150_000
COLORS = 48
# Text of the page that must not change unnoticed; numbers of lines and registers may.
PARTS = """return JSON.stringify({title: document.title, unfolded: [...document.querySelectorAll('summary')].map(s => s.textContent.replace(/\\d+/g, 'N')).slice(0, 4),
levels: [...document.querySelectorAll('label')].map(l => l.textContent.trim() + (l.querySelector('input').checked ? ' (shown)' : '')).filter(l => !l.startsWith('sass')),
marked: [...document.querySelectorAll('#level0 div.on')].map(d => d.textContent)})"""


def show_levels(page):
    """The source beside the code, with the line of the product marked in each."""
    wrong = hover.check_links(page)
    if wrong:
        sys.exit("\n".join(wrong))
    page.run("window.scrollTo(0, 0)")


# Name of the file, kind of picture (pictures.py), what brings the page into its state, size of the window.
SHOTS = [("explain.png", "explain", show_levels, (1500, 1000))]


def take(page, tilerun, tree, shot, folder):
    """(image, its texts)"""
    name, kind_name, prepare, size = shot
    kind, path = pictures.KINDS[kind_name], pathlib.Path(folder, "page.html")
    pictures.draw(tilerun, tree, kind, path)
    page.open(path, size=size)
    # Where NVIDIA's tools are installed, the page has a column more, and other facts at its top.
    page.run("for (const box of document.querySelectorAll('input[data-level]')) if (box.parentElement.textContent.trim() === 'sass' && box.checked) box.click();"
             "for (const line of [...document.querySelectorAll('body > p')].slice(0, 1)) line.remove()")
    prepare(page)
    return page.screenshot().quantize(COLORS), {"Command": f"tilerun {kind.command}", "Parts": page.run(PARTS)}


def compare(image, texts, path):
    from PIL import Image

    if not path.exists():
        return [f"{path} does not exist"]
    known = Image.open(path)
    wrong = [f"{path}: its {name} is {known.text.get(name)}, now {text}" for name, text in texts.items() if known.text.get(name) != text]
    if known.size != image.size:
        wrong.append(f"{path} has {known.size} pixels, now {image.size}")
    background = max(known.convert("RGB").getcolors(1 << 16))
    if not 0.5 < background[0] / (known.width * known.height) < 0.995:
        wrong.append(f"{path}: {background[0] / (known.width * known.height):.1%} of it is background")
    return wrong + ([f"{path} has more than {MOST_BYTES} bytes"] if path.stat().st_size > MOST_BYTES else [])


def main():
    browser.require()
    from PIL import PngImagePlugin

    tilerun, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    wrong = []
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        for shot in SHOTS:
            image, texts = take(page, tilerun, tree, shot, folder)
            path = tree / "docs/pictures" / shot[0]
            if "--update" in sys.argv[3:]:
                information = PngImagePlugin.PngInfo()
                for name, text in texts.items():
                    information.add_itxt(name, text)
                image.save(path, optimize=True, pnginfo=information)
            wrong += compare(image, texts, path)
    print("\n".join(wrong) or f"{len(SHOTS)} screenshots")
    if wrong:
        print("tests/browser/screenshots.py TILERUN TREE --update takes them again")
    sys.exit(bool(wrong))


main()
