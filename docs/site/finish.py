#!/usr/bin/env python3
"""Makes a site that Sphinx has built work without a server. Usage: finish.py SITE

Debian builds Furo without a bundler: its script is a module, which browsers do not load from files; its stylesheet imports one from the
root of a web server; and the rules for readers who prefer dark colours are lost, because its compiler of stylesheets does not nest media queries.
Each is mended where it is found, so that Furo as its authors publish it stays as it is.
"""
import pathlib
import re
import sys

IMPORT = re.compile(r'^import (\w+) from "\./([\w.-]+)";$', re.M)
STYLE_IMPORT = re.compile(r"@import url\(/javascript/([\w./-]+)\);")
DARK = re.compile(r'body\[data-theme="dark"\] (\{[^{}]*--color[^{}]*\})')


def join_modules(path):
    """Puts what a script imports, a module in the form of CommonJS, into it as a constant."""
    text = path.read_text(encoding="utf-8")

    def inline(match):
        module = path.with_name(match[2]).read_text(encoding="utf-8")
        if "module.exports =" not in module:
            sys.exit(f"{match[2]} exports nothing in the form of CommonJS")
        return f"const {match[1]} = (() => {{\nconst module = {{exports: {{}}}}, exports = module.exports;\n{module}\nreturn module.exports;\n}})();"

    # A script's names are those of all scripts; a module's were its own.
    joined, count = IMPORT.subn(inline, text)
    if count:
        path.write_text(f"(() => {{\n{joined}\n}})();\n", encoding="utf-8")


def join_styles(path):
    def inline(match):
        return pathlib.Path("/usr/share/javascript", match[1]).read_text(encoding="utf-8")

    text = STYLE_IMPORT.sub(inline, path.read_text(encoding="utf-8"))
    if "prefers-color-scheme: dark" not in text:
        rules = DARK.search(text)
        if not rules:
            sys.exit(f"{path} has no colours for dark")
        text += f'@media screen and (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {rules[1]} }}\n'
    path.write_text(text, encoding="utf-8")


static = pathlib.Path(sys.argv[1], "_static")
join_modules(static / "scripts/furo.js")
join_styles(static / "styles/furo.css")
