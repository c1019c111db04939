"""Checks a page of `tilerun explain`. Usage: check_explain.py PAGE.html SOURCE.py 'TEXT OF A SOURCE LINE' LEVEL:TEXT… For each LEVEL, a line with
TEXT is linked to the first line of the source that has the given text and that any code is linked to; and the page refers to nothing outside."""
import html.parser
import pathlib
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.levels, self.heading, self.line, self.in_small = {}, None, None, False
        self.tags, self.scripts, self.outside = [], 0, []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.outside += [v for k, v in attributes if k in ("src", "href")]
        self.scripts += tag == "script"
        if tag not in ("meta", "input", "br"):
            self.tags.append(tag)
        if tag == "h2":
            self.heading = ""
        elif tag == "small":
            self.levels[self.heading.strip()] = self.current = []
            self.heading = None
        elif tag == "div" and self.levels and values.get("class") != "code":
            self.line = [values.get("class"), "", {int(n) for n in values.get("data-l", "").split()}]

    def handle_endtag(self, tag):
        if tag in ("meta", "input", "br"):
            return
        assert self.tags.pop() == tag, (tag, self.getpos())
        if tag == "div" and self.line:
            self.current.append(self.line)
            self.line = None

    def handle_data(self, data):
        if self.heading is not None:
            self.heading += data
        elif self.line and self.tags[-1] != "span":
            self.line[1] += data


path, source, needle, *wanted = sys.argv[1:]
page = Page()
page.feed(pathlib.Path(path).read_text(encoding="utf-8"))
assert not page.tags and not page.outside and page.scripts == 1, (page.tags, page.outside, page.scripts)
text = pathlib.Path(source).read_text(encoding="utf-8").rstrip().split("\n")
shown = [line for line in page.levels["source"] if line[0] != "note"]
assert [line[1].rstrip() or "" for line in shown] == [line.rstrip() for line in text], "the source is not whole"
assert all(line[2] == {i} for i, line in enumerate(shown, 1))
linked = {n for name, lines in page.levels.items() if name != "source" for line in lines for n in line[2]}
number = next(i for i, line in enumerate(text, 1) if needle in line and i in linked)
for item in wanted:
    level, code = item.split(":", 1)
    lines = page.levels[level]
    assert any(code in line[1] and number in line[2] for line in lines), (level, code, number, [line for line in lines if code in line[1]])
    assert not any("loc(" in line[1] or ".loc" in line[1] for line in lines), level
