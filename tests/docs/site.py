#!/usr/bin/env python3
"""Builds the documentation's site and examines it. Usage: site.py TREE OUT

Sphinx makes broken links between pages errors. Here the result is examined as a browser would use it without a network: every link
into the site leads to a file and an element that exist, nothing is loaded from elsewhere, and the search finds what the pages say.
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

SEARCHES = {"TILERUN_CACHE_DIR": "docs/environment", "softmax": "docs/tutorial/4-reductions", "swizzle": "docs/glossary",
            "masked-value": "docs/errors"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            self.ids.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("script", "img", "iframe") and attributes.get("src"):
            self.loads.append(attributes["src"])
        elif tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload") and attributes.get("href"):
            self.loads.append(attributes["href"])


def check_links(out):
    """What is wrong with the pages' links, and how many there are."""
    pages = {path: Page(path) for path in sorted(out.rglob("*.html"))}
    wrong, count = [], 0
    for path, page in pages.items():
        for target in page.links + page.loads:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                if target in page.loads and url.scheme != "data":
                    wrong.append(f"{path.relative_to(out)} loads {target}")
                continue
            count += 1
            file = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not file.is_file():
                wrong.append(f"{path.relative_to(out)}: {target} does not exist")
            elif url.fragment and file in pages and urllib.parse.unquote(url.fragment) not in pages[file].ids:
                wrong.append(f"{path.relative_to(out)}: nothing in the page is {target}")
    for path in out.rglob("*.css"):
        for target in re.findall(r"(?:@import|url\()\s*['\"]?(https?://[^'\")]+)", path.read_text(encoding="utf-8")):
            wrong.append(f"{path.relative_to(out)} loads {target}")
    return wrong, len(pages), count


def check_search(out):
    """Searches that lack the page they should find."""
    text = (out / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1:text.rindex(")")])
    wrong = []
    for words, page in SEARCHES.items():
        for word in re.findall(r"\w{3,}", words.lower()):
            # The index holds stems: a word begins with its stem, or nearly so.
            entries = [entry for terms in ("terms", "titleterms") for stem, entry in index[terms].items()
                       if len(stem) >= 4 and word.startswith(stem[:-1])]
            numbers = {number for entry in entries for number in (entry if isinstance(entry, list) else [entry])}
            if page not in {index["docnames"][number] for number in numbers}:
                wrong.append(f"search: '{word}' does not find {page}")
    return wrong


def main():
    tree, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    built = subprocess.run([tree / "scripts/site", out], check=False)
    if built.returncode:
        sys.exit(built.returncode)
    wrong, pages, links = check_links(out)
    wrong += check_search(out)
    if pages < 60 or links < 1000:
        wrong.append(f"only {pages} pages and {links} links were found")
    print("\n".join(wrong) or f"{pages} pages, {links} links")
    sys.exit(bool(wrong))


main()
