"""A headless browser for tests of pages and pictures: Chromium, driven by Selenium.

`Browser` opens a file in light or dark; `look` is what all pages have to fulfil: no message on the console, nothing loaded, text that can
be read on its background, and in pictures no text that leaves its cell or overlaps another. Each function returns what is wrong as lines.
"""
import io
import json
import os
import pathlib
import shutil
import sys

NOT_RUN = 77
WIDTH, HEIGHT = 1280, 900
MOST_HEIGHT = 4000  # Of an image; what is below it is not examined.
SCHEMES = ("light", "dark")
# WCAG 2.1, success criterion 1.4.3.
LEAST_CONTRAST = 4.5


def skip(reason):
    print(f"not run: {reason}")
    sys.exit(1 if "browser" in os.environ.get("TILERUN_REQUIRE", "").split(",") else NOT_RUN)


def require():
    """Ends the test where the browser or what drives it is missing."""
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    for module, package in (("selenium", "python3-selenium"), ("PIL", "python3-pil")):
        try:
            __import__(module)
        except ImportError:
            missing.append(package)
    if missing:
        skip(f"{', '.join(missing)} not found (scripts/setup installs what tests in a browser need)")


def luminance(color):
    """Relative luminance (WCAG 2.1) of 8-bit red, green, blue."""
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def parse_color(text):
    """Red, green, blue, opacity of a computed colour."""
    numbers = [float(part) for part in text[text.index("(") + 1:text.index(")")].replace("/", ",").split(",")]
    return (*numbers[:3], numbers[3] if len(numbers) > 3 else 1.0)


class Browser:
    def __init__(self):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        # A container's root has no sandbox, and /dev/shm may be small there.
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--disable-background-networking"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(service=service, options=options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, path, scheme="light", query="", size=(WIDTH, HEIGHT)):
        self.resize(*size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(pathlib.Path(path).resolve().as_uri() + query)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_elements("css selector", selector)

    def point_at(self, element):
        from selenium.webdriver import ActionChains

        ActionChains(self.driver, duration=0).move_to_element(element).perform()

    def messages(self):
        """What the console got since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, whole=False):
        """An image of what is in the window, or with `whole` of the whole page."""
        from PIL import Image

        if whole:
            self.resize(*self.run("return [Math.max(innerWidth, document.documentElement.scrollWidth), "
                                  "Math.min(Math.max(innerHeight, document.documentElement.scrollHeight), arguments[0])]", MOST_HEIGHT))
        return Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")


def find_background(image, text):
    """The most frequent colour around a text: letters cover less than half of it."""
    box = tuple(max(0, round(text[side])) for side in ("left", "top", "right", "bottom"))
    part = image.crop(box)
    return max(part.getcolors(part.width * part.height))[1]


def check_contrast(image, texts):
    wrong = {}
    for text in texts:
        if text["bottom"] > image.height or text["right"] > image.width:
            continue
        background = find_background(image, text)
        *color, opacity = parse_color(text["color"])
        blended = [opacity * c + (1 - opacity) * b for c, b in zip(color, background)]
        found = contrast(blended, background)
        if found < LEAST_CONTRAST:
            line = f"{text['color']} on rgb{background} has a contrast of {found:.1f}, less than {LEAST_CONTRAST}"
            wrong.setdefault(line, repr(text["text"].strip()[:60]))
    return [f"{example}: {line}" for line, example in wrong.items()]


def check_scheme(image, scheme):
    """The page's colours are those that the viewer prefers, and something is drawn on them."""
    colors = sorted(image.getcolors(image.width * image.height), reverse=True)
    background, wrong = colors[0][1], []
    if (luminance(background) > 0.8) != (scheme == "light") or (luminance(background) < 0.1) != (scheme == "dark"):
        wrong.append(f"the background is rgb{background}")
    if 1 - colors[0][0] / (image.width * image.height) < 0.005:
        wrong.append("the picture is blank")
    return wrong


def look(browser, scheme, expected=(), may_load=False):
    """What is wrong with the page that is open: all that holds for each of them, and texts that it has to show."""
    image = browser.screenshot(whole=True)
    with open(pathlib.Path(__file__).with_name("inspect.js"), encoding="utf-8") as file:
        seen = json.loads(browser.run(file.read()))
    wrong = [f"console: {message}" for message in browser.messages()]
    wrong += check_scheme(image, scheme) + seen["wrong"] + check_contrast(image, seen["texts"])
    if seen["loads"] and not may_load:
        wrong.append(f"loads {', '.join(seen['loads'])}")
    texts = "\n".join(text["text"] for text in seen["texts"])
    wrong += [f"does not show {words!r}" for words in expected if words not in texts]
    return wrong
