# SPDX-License-Identifier: BSD-2-Clause
"""A Chromium without a window, for a test."""
import os
import shutil
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = "/usr/bin/chromium"
CHROMEDRIVER = "/usr/bin/chromedriver"
PATIENCE = 60

# The elements whose own text stands out less than WCAG's 4.5 to 1 from the
# background that is behind it, mixed as it is seen.
LOW_CONTRAST = """
const parse = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), a: parts[3] ?? 1 };
};
const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) =>
        c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (element) => {
    for (; element !== null; element = element.parentElement) {
        const color = parse(getComputedStyle(element).backgroundColor);
        if (color.a === 1)
            return color.rgb;
    }
    return [255, 255, 255];
};
const low = [];
for (const element of document.body.querySelectorAll("*:not(script)")) {
    const text = [...element.childNodes].filter((node) =>
        node.nodeType === 3).map((node) => node.data).join("").trim();
    if (text === "" || element.checkVisibility() === false)
        continue;
    const style = getComputedStyle(element);
    const svg = element.namespaceURI.endsWith("svg");
    const one = light(parse(svg ? style.fill : style.color).rgb);
    const two = light(background(element));
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5)
        low.push(text + " " + ratio.toFixed(2));
}
return low;
"""


class Browser:
    def __init__(self, width=1200, height=900, dark=False):
        self.dir = tempfile.mkdtemp(prefix="signpost-browser.")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--user-data-dir=" + os.path.join(self.dir, "data")):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # All that it leaves behind is in the folder.
        env = {**os.environ, "HOME": self.dir, "TMPDIR": self.dir}
        try:
            self.driver = webdriver.Chrome(
                service=Service(CHROMEDRIVER, env=env), options=options)
        except BaseException:
            shutil.rmtree(self.dir, ignore_errors=True)
            raise
        self.resize(width, height)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme",
                          "value": "dark" if dark else "light"}]})

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.dir, ignore_errors=True)

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1,
             "mobile": False})

    def open(self, url):
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, name):
        """What a person reads in the element of that id."""
        return self.run("return document.getElementById(arguments[0])"
                        ".innerText", name)

    def pairs(self, name):
        """{name: text} of a list of bars or of facts."""
        return dict(self.run("""
            return [...document.getElementById(arguments[0]).querySelectorAll(
                "li, dt")].map((one) => one.localName === "li"
                ? [one.children[0].textContent, one.children[1].textContent]
                : [one.textContent, one.nextElementSibling.textContent])""",
                             name))

    def wait_for(self, condition, what):
        """Until CONDITION is true; what it returned then."""
        end = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError("waited for %s; the page says:\n%s" % (
                    what, self.run("return document.body.innerText")))
            time.sleep(0.1)

    def complaints(self):
        """What stands in the console since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def too_wide(self):
        """By how many pixels the page has to be scrolled sideways."""
        return self.run("const root = document.documentElement;"
                        "return root.scrollWidth - root.clientWidth")

    def low_contrast(self):
        return self.run(LOW_CONTRAST)

    def picture(self, name):
        """All of the page, where pictures are wanted."""
        folder = os.environ.get("PICTURES")
        if not folder:
            return
        width, height, visible = self.run(
            "return [innerWidth, document.documentElement.scrollHeight, "
            "innerHeight]")
        self.resize(width, height)
        time.sleep(0.3)
        self.driver.save_screenshot(os.path.join(folder, name + ".png"))
        self.resize(width, visible)
