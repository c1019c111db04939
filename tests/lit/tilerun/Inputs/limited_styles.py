"""Whether the rules of an image apply to it alone, so that a page such as a notebook may have it beside others; and the image of a
file, which refers to nothing outside and has colours for light and dark."""
import re
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"


def check(image):
    root = re.match(r'<svg [^>]*class="(tilerun-[0-9a-f]{8})"', image)[1]
    style = re.search(r"<style>(.*?)</style>", image, re.S)[1]
    assert style.count("{") == style.count("}"), style
    rules = re.findall(r"([^{}]*)\{", re.sub(r"@media\([^)]*\)\{", "", style))
    selectors = [selector.strip() for rule in rules for selector in rule.split(",")]
    assert len(selectors) > 5 and all(s.startswith(f"svg.{root}") for s in selectors), selectors


def load(path, hasScript=False):
    """(root, width, height) of an SVG image, or of a page with one."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert not re.search(r"(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text), "refers to something outside"
    if text.startswith("<!DOCTYPE html>"):
        # Beside the script, which may hold any characters, the page is well-formed.
        tree.fromstring(re.sub(r"<script>.*</script>", "", text[len("<!DOCTYPE html>"):], flags=re.S))
        assert 'name="color-scheme" content="light dark"' in text and (not hasScript or "mouseover" in text)
    image = text[text.index("<svg"):text.index("</svg>") + 6]
    assert "prefers-color-scheme:dark" in image
    check(image)
    root = tree.fromstring(image)
    assert root.find(SPACE + "title").text
    return root, float(root.get("width")), float(root.get("height"))
