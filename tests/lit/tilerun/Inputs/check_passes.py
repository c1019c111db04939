"""Checks what a page of `tilerun explain` says of passes. Usage: check_passes.py PAGE.html PASSES.json. The counts are those of the lines
with signs; in the changes of the target's passes, lines with '+' and ' ' are in the module after the pass and lines with '-' in the one before.
Prints the title of each pass, and the lines with signs."""
import html
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
steps = json.load(open(sys.argv[2], encoding="utf-8"))
part = page[page.index("<summary>what each pass changed</summary>"):]
part = part[:part.index("</div>")]
found = re.findall(r"<p>([\w-]+): nothing</p>|<summary>([\w-]+): (\d+) lines added, (\d+) removed</summary>\n<pre class=\"diff\">(.*?)</pre>",
                   part, flags=re.S)
assert [n or p for n, p, *_ in found][-len(steps) + 1:] == [s["pass"] for s in steps[1:]], found
modules = [None] * (len(found) - len(steps) + 1) + [(a["text"], b["text"]) for a, b in zip(steps, steps[1:])]
for (nothing, name, added, removed, text), module in zip(found, modules):
    print(f"{nothing}: nothing" if nothing else f"{name}: +{added} -{removed}")
    lines = [html.unescape(line) for line in re.sub(r"</?span[^>]*>", "", text).splitlines()]
    assert [sum(l.startswith(c) for l in lines) for c in "+-"] == [int(added or 0), int(removed or 0)], name
    for line in lines:
        if module and line != "…":
            assert line[1:] in module[line[0] != "-"].split("\n"), (name, line)
        if line[0] in "+-":
            print(line)
