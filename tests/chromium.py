"""tests/chromium.py -- a browser without a window, driven over the DevTools protocol."""
import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

from websocket import WebSocket


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    def __init__(self, width=1280, height=800, phone=False):
        self.size, self.phone = (width, height), phone

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="pliant_chromium_")
        words = [find(), "--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--remote-debugging-port=0", "--user-data-dir=" + self.profile, "--window-size=%d,%d" % self.size, "--hide-scrollbars", "--mute-audio",
                 "--no-first-run", "--disable-extensions", "--disable-background-networking", "about:blank"]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
        port = None
        for line in self.process.stderr:
            found = re.search(r"DevTools listening on ws://127\.0\.0\.1:(\d+)/", line)
            if found:
                port = int(found[1])
                break
        if not port:
            raise RuntimeError("chromium does not start")
        with urllib.request.urlopen("http://127.0.0.1:%d/json/list" % port, timeout=20) as answer:
            page = [target for target in json.load(answer) if target["type"] == "page"][0]
        self.socket = WebSocket(port, "/devtools/page/" + page["id"], origin="", timeout=60)
        self.number = 0
        self.events = []
        self.ask("Runtime.enable")
        self.ask("Log.enable")
        self.ask("Page.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1], deviceScaleFactor=1, mobile=self.phone)
        if self.phone:
            self.ask("Emulation.setTouchEmulationEnabled", enabled=True)
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.say(id=self.number, method=method, params=parameters)
        while True:
            answer = json.loads(self.socket.receive()[1])
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait(self, expression, seconds=30):
        """Until an expression is true."""
        until = time.time() + seconds
        while time.time() < until:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        raise TimeoutError("never true: %s; the page says %s" % (expression, self.complaints()))

    def complaints(self):
        """What the console of the page has heard of errors."""
        self.evaluate("0")
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", str(event)))
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def mouse(self, kind, x, y, button="left", **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=0 if kind == "mouseReleased" else 1, clickCount=1, **more)

    def drag(self, start, end, steps=8, release=True, **more):
        self.mouse("mousePressed", *start, **more)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", *[a + (b - a) * i / steps for a, b in zip(start, end)], **more)
        if release:
            self.mouse("mouseReleased", *end, **more)

    def touch(self, kind, points):
        self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def key(self, key):
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path=None):
        data = base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data
