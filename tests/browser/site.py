#!/usr/bin/env python3
"""Opens the documentation's site (scripts/site) in a headless browser, from its files. Usage: site.py SITE

Every page: nothing on the console, each image drawn. Some pages in light and dark, as browser.py examines them. Then what scripts do: the search
finds pages and its results lead there, the button for colours, the filter of long tables, and windows as narrow as a telephone's.
"""
import pathlib
import sys
import time

import browser

LOOKED_AT = ("docs/index.html", "docs/tutorial/3-find-mistakes.html", "docs/show.html", "docs/layouts.html", "docs/guides/reading-a-kernel.html",
             "docs/environment.html", "docs/from-triton.html", "search.html")
SEARCHES = {"swizzle": "docs/glossary.html", "TILERUN_CACHE_DIR": "docs/environment.html", "softmax": "docs/tutorial/4-reductions.html"}
NARROW = 400
# Images that a page loads when they come into view are loaded at once.
BROKEN = """for (const image of document.images) image.loading = 'eager';
return Promise.all([...document.images].map(image => image.decode().catch(() => image.getAttribute('src')))).then(found => found.filter(Boolean))"""


def wait_for(condition, seconds=60):  # A busy machine is slow; an answer ends the wait.
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    return None


def check_pages(page, site):
    wrong, count = [], 0
    for path in sorted(site.rglob("*.html")):
        page.open(path, browser.SCHEMES[count % 2])
        name = path.relative_to(site)
        wrong += [f"{name}: console: {message}" for message in page.messages()]
        wrong += [f"{name}: the image {source} is not drawn" for source in page.run(BROKEN)]
        # The first page leads to another one.
        if not wait_for(lambda: page.run("return document.querySelector('h1, [role=main]') !== null")):
            wrong.append(f"{name} has no heading")
        count += 1
    return wrong, count


def check_looks(page, site):
    wrong = []
    for name in LOOKED_AT:
        for scheme in browser.SCHEMES:
            page.open(site / name, scheme)
            wrong += [f"{name}, {scheme}: {line}" for line in browser.look(page, scheme, may_load=True)]
    return wrong


def check_search(page, site):
    wrong = []
    for words, target in SEARCHES.items():
        page.open(site / "docs/index.html")
        field = page.find(".sidebar-search")[0]
        field.send_keys(words + "\n")
        # Results appear one after the other, and a text behind the last of them.
        wait_for(lambda: "Search finished" in page.run("return document.querySelector('#search-results')?.innerText ?? ''"))
        link = next((a for a in page.find("#search-results li a") if target in (a.get_attribute("href") or "")), None)
        if not link:
            wrong.append(f"the search for '{words}' shows no link to {target}")
            continue
        page.run("arguments[0].click()", link)
        if not wait_for(lambda: target in page.driver.current_url):
            wrong.append(f"the result of '{words}' leads to {page.driver.current_url}")
        elif words.lower() not in page.run("return document.body.innerText.toLowerCase()"):
            wrong.append(f"{target} does not show '{words}'")
        wrong += [f"search for '{words}': console: {message}" for message in page.messages()]
    page.open(site / "search.html", query="?q=wordthatnopagehas")
    if not wait_for(lambda: "did not match" in page.run("return document.body.innerText")):
        wrong.append("a search that finds nothing does not say so")
    return wrong


def check_theme(page, site):
    """The button goes through light and dark whatever the viewer prefers, and the choice holds on the next page."""
    page.open(site / "docs/index.html", "light")
    seen = {}
    for _ in range(3):
        page.run("[...document.querySelectorAll('.theme-toggle')].find(b => b.offsetParent).click()")
        seen[page.run("return document.body.dataset.theme")] = browser.luminance(browser.parse_color(
            page.run("return getComputedStyle(document.body).backgroundColor")))
    wrong = []
    if not seen.get("dark", 1) < 0.1 or not seen.get("light", 0) > 0.8:
        wrong.append(f"the button for colours gives {seen}")
    page.run("localStorage.setItem('theme', 'dark')")
    page.open(site / "docs/glossary.html", "light")
    if page.run("return document.body.dataset.theme") != "dark":
        wrong.append("a chosen colour scheme is lost on the next page")
    page.run("localStorage.clear()")
    page.messages()
    return wrong


def count_rows(page):
    """(rows that are shown, what the filter says)"""
    shown = page.run("return [...document.querySelectorAll('article tbody tr')].filter(r => r.offsetParent).length")
    return shown, page.run("return document.querySelector('#filter output').value")


def check_filter(page, site):
    wrong = []
    page.open(site / "docs/backends.html")
    everything, said = count_rows(page)
    if said != f"{everything} of {everything} rows" or everything < 800:
        wrong.append(f"without words the filter says '{said}', and {everything} rows are shown")
    page.find("#filter input[type=search]")[0].send_keys("atomic_add fp32")
    some, said = count_rows(page)
    texts = page.run("return [...document.querySelectorAll('article tbody tr')].filter(r => r.offsetParent).map(r => r.innerText)")
    if not 0 < some < 20 or not said.startswith(f"{some} of ") or not all("atomic_add" in text and "fp32" in text for text in texts):
        wrong.append(f"of 'atomic_add fp32' the filter says '{said}' and shows {texts}")
    if "rows=" not in page.driver.current_url:
        wrong.append("the address does not keep the words")
    headings = page.run("return [...document.querySelectorAll('article h2')].filter(h => h.offsetParent).map(h => h.firstChild.data)")
    if "Atomics" not in headings or "Mathematics" in headings:
        wrong.append(f"the headings of 'atomic_add fp32' are {headings}")
    page.open(site / "docs/backends.html", query="?rows=dot_scaled")
    if not 0 < count_rows(page)[0] < 40:
        wrong.append(f"the address's words show {count_rows(page)[0]} rows")
    page.open(site / "docs/backends.html")
    boxes = page.find("#filter input[type=checkbox]")
    boxes[0].click()
    different = count_rows(page)[0]
    # With one column shown, none differ.
    for box in boxes[2:]:
        box.click()
    if not 0 < different < everything / 4 or count_rows(page)[0] != 0:
        wrong.append(f"{different} rows differ between all columns, {count_rows(page)[0]} with one")
    boxes[0].click()
    columns = page.run("return [...document.querySelectorAll('#elementwise thead th')].filter(c => c.offsetParent).map(c => c.textContent)")
    if columns != ["function", "dtypes", "cpu"]:
        wrong.append(f"with one column the heading is {columns}")
    # Functions by example: the row of one, with the value of its example.
    page.open(site / "docs/functions.html", query="?rows=tl.cumprod")
    texts = page.run("return [...document.querySelectorAll('article tbody tr')].filter(r => r.offsetParent).map(r => r.innerText)")
    if len(texts) != 1 or "[24, 24, 12, 4]" not in texts[0]:
        wrong.append(f"of 'tl.cumprod' the page of functions shows {texts}")
    return wrong + [f"filter: console: {message}" for message in page.messages()]


def check_narrow(page, site):
    """Wide tables and programs scroll by themselves; the page does not."""
    wrong = []
    for name in LOOKED_AT[:-1] + ("docs/backends.html", "docs/functions.html", "docs/gallery.html"):
        page.open(site / name, size=(NARROW, 800))
        if (width := page.run("return document.documentElement.scrollWidth")) > NARROW:
            wrong.append(f"{name} is {width} pixels wide in a window of {NARROW}")
    return wrong


def main():
    browser.require()
    site = pathlib.Path(sys.argv[1]).resolve()
    if not (site / "docs/index.html").is_file():
        browser.skip(f"{site} has no site, which docs.site builds")
    with browser.Browser() as page:
        wrong, count = check_pages(page, site)
        for check in (check_looks, check_search, check_theme, check_filter, check_narrow):
            wrong += check(page, site)
    print("\n".join(wrong) or f"{count} pages")
    if count < 60:
        wrong.append(f"only {count} pages were found")
    sys.exit(bool(wrong))


main()
