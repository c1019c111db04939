# The documentation as a site: `scripts/site` builds it with Sphinx, MyST and Furo of the distribution. The sources are the
# Markdown pages as they are; links between them, to headings and to files of the tree are checked, and a broken one fails.
import pathlib
import re

tree = pathlib.Path(__file__).resolve().parents[2]

project = "Tilerun"
author = "The Tilerun authors"
copyright = "The Tilerun authors; Apache-2.0"
version = release = re.search(r"project\(\w+\s+VERSION ([\d.]+)", (tree / "CMakeLists.txt").read_text(encoding="utf-8"), re.I)[1]

extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["docs/**/*.md", "docs/*.md", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
exclude_patterns = ["build*", ".git", "backends", "bench", "cmake", "emulators", "examples", "frontend", "ir", "plugins", "python",
                    "runtime", "scripts", "tests", "tools"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
# Programs in pages have `…` where something is left out.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Tilerun"
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_extra_path = ["extra"]
html_static_path = ["static"]
html_js_files = ["filter.js"]
html_css_files = ["filter.css"]
# Excerpts of what was found are fetched, which browsers refuse for files.
html_show_search_summary = False
pygments_style = "default"
pygments_dark_style = "github-dark"


def list_pages(app, name, source):
    """The README of a folder lists its pages in a table; the navigation below it is that table."""
    if name.startswith("docs/") and name.endswith("/README"):
        pages = dict.fromkeys(re.findall(r"\]\(([\w.-]+)\.md\)", source[0]))
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def setup(app):
    # Pygments has no lexer for MLIR's syntax.
    from pygments.lexers.special import TextLexer

    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", list_pages)
