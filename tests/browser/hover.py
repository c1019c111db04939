"""What pages do under the pointer and the keyboard. Each function takes a browser with a page open, and returns what is wrong as lines."""


def marked(page, selector):
    return page.run("return [...document.querySelectorAll(arguments[0])].filter(e => e.classList.contains('on')).map(e => e.dataset.k)", selector)


def check_titles(page):
    """Each cell, bar or marker names itself."""
    if not page.run("return [...document.querySelectorAll('svg[role=img] title')].filter(t => t.parentElement.tagName !== 'svg' && t.textContent).length"):
        return ["nothing in the picture has a title to point at"]
    return []


def check_cells(page):
    """Pointing at a cell marks the cells with the same key, all of them and no others, visibly; leaving the picture ends it."""
    wrong = check_titles(page)
    cells = page.find("svg[role=img] .c[data-k]")
    if not cells:
        return wrong + ["no cell can be marked"]
    key = cells[0].get_attribute("data-k")
    page.point_at(page.find("h1")[0])
    before = page.screenshot()
    page.point_at(cells[0])
    found = marked(page, "svg[role=img] .c")
    same = page.run("return [...arguments[0].closest('svg').querySelectorAll('.c')].filter(c => c.dataset.k === arguments[1]).length",
                    cells[0], key)
    if set(found) != {key} or len(found) != same:
        wrong.append(f"pointing at a cell of {key!r} marks {len(found)} cells of {sorted(set(map(str, found)))}, not its {same}")
    if page.screenshot() == before:
        wrong.append("a marked cell looks like any other")
    page.point_at(page.find("h1")[0])
    if marked(page, "svg[role=img] .c"):
        wrong.append("cells stay marked when the pointer leaves the picture")
    return wrong


def lines_on(page):
    """{number of the level: texts of its marked lines} of levels that are shown"""
    return page.run("const out = {}; for (const s of document.querySelectorAll('#levels section:not([hidden])')) "
                    "out[s.querySelector('h2').firstChild.data.trim()] = [...s.querySelectorAll('div.on')].map(l => l.textContent); return out")


def check_links(page):
    wrong = []
    product = page.run("return [...document.querySelectorAll('#level0 div[data-l]')].find(l => l.textContent.includes('tl.dot('))")
    if not product:
        return ["the source has no line of the product"]
    page.run("arguments[0].scrollIntoView({block: 'center'})", product)
    page.point_at(product)
    for level, lines in lines_on(page).items():
        if not lines:
            wrong.append(f"pointing at the product marks nothing in the level '{level}'")
    hidden = page.run("""return [...document.querySelectorAll('#levels section:not([hidden]) .code')].filter(code => {
      const first = code.querySelector('div.on'), box = code.getBoundingClientRect();
      if (!first) return false;
      const line = first.getBoundingClientRect();
      return line.bottom < box.top || line.top > box.bottom;
    }).length""")
    if hidden:
        wrong.append(f"{hidden} levels were not scrolled to the lines that are marked")
    return wrong


def check_keeping(page):
    """A click keeps what is marked, a second one ends that; the arrows go to the next line."""
    wrong = []
    lines = page.find("#level0 div[data-l]")
    page.run("arguments[0].scrollIntoView({block: 'center'})", lines[0])
    lines[0].click()
    kept = lines_on(page)
    page.point_at(lines[-1])
    if lines_on(page) != kept or not kept["source"]:
        wrong.append("a click does not keep what is marked")
    page.run("arguments[0].scrollIntoView({block: 'center'})", lines[0])
    lines[0].click()
    page.run("arguments[0].focus()", lines[0])
    lines[0].send_keys("\ue015")  # The arrow down.
    if page.run("return document.activeElement === arguments[0]", lines[1]) is not True:
        wrong.append("the arrow does not go to the next line")
    elif lines[1].text not in "\n".join(lines_on(page)["source"]):
        wrong.append("the line that the arrow goes to is not marked")
    return wrong


def check_boxes(page):
    """Each box shows its level, and hides it again."""
    wrong = []
    for box in page.find("input[data-level]"):
        level = box.get_attribute("data-level")
        for _ in range(2):
            box.click()
            if page.run("return document.getElementById(arguments[0]).hidden", level) == box.is_selected():
                wrong.append(f"the box of {level} does not show or hide it")
    return wrong


def check_lines(page):
    """Lines of code follow each other without gaps."""
    gap = page.run("const l = document.querySelectorAll('#level0 .code > div'); "
                   "return l[1].getBoundingClientRect().top - l[0].getBoundingClientRect().bottom")
    return [f"{gap} pixels are between lines of code"] if gap > 1 else []


# What pages of all targets have, and those of targets whose registers are known.
ALL_TARGETS = ("shared memory", "what each pass changed")
MACHINES = ("timeline", "occupancy", *ALL_TARGETS)


def check_levels(page, expected=MACHINES):
    """A page of `tilerun explain`; its pictures, and what the last pass changed, are unfolded at the end."""
    wrong = check_lines(page) + check_links(page) + check_keeping(page) + check_boxes(page)
    page.run("""const folded = [...document.querySelectorAll('details')], passes = folded.find(d => d.querySelector('details'));
      for (const d of folded) d.open = d === passes || !passes.contains(d) || d === folded[folded.length - 1]""")
    titles = page.run("return [...document.querySelectorAll('summary')].map(s => s.textContent)")
    for words in expected:
        if not any(words in title for title in titles):
            wrong.append(f"nothing is titled '{words}'")
    if not page.run("return [...document.querySelectorAll('details svg')].every(s => s.getBoundingClientRect().height > 20)"):
        wrong.append("a picture is not drawn where it is unfolded")
    return wrong
