"""Whether the rules of an image apply to it alone, so that a page such as a notebook may have it beside others."""
import re


def check(image):
    root = re.match(r'<svg [^>]*class="(tilerun-[0-9a-f]{8})"', image)[1]
    style = re.search(r"<style>(.*?)</style>", image, re.S)[1]
    assert style.count("{") == style.count("}"), style
    rules = re.findall(r"([^{}]*)\{", re.sub(r"@media\([^)]*\)\{", "", style))
    selectors = [selector.strip() for rule in rules for selector in rule.split(",")]
    assert len(selectors) > 5 and all(s.startswith(f"svg.{root}") for s in selectors), selectors
