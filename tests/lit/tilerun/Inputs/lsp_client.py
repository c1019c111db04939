# A client of the Language Server Protocol: drives `tilerun lsp` over pipes.
import json
import pathlib
import subprocess
import time

# Seconds that an answer may take.
LIMIT = 120


class Client:
    def __init__(self, command, initialize=True, **options):
        self.process = subprocess.Popen([command, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.number = 0
        self.versions = {}
        self.published = []
        if initialize:
            self.capabilities = self.ask("initialize", processId=None, rootUri=None, capabilities={}, **options)["capabilities"]
            self.tell("initialized")

    def write(self, content):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self):
        length = None
        while (line := self.process.stdout.readline().decode().strip()) or length is None:
            assert line, "the server ended: " + self.process.stderr.read().decode()
            name, value = line.split(":", 1)
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, **params):
        self.send({"method": method, "params": params})

    def request(self, method, **params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def answer(self, number):
        while "id" not in (message := self.read()):
            assert message["method"] == "textDocument/publishDiagnostics", message
            self.published.append(message["params"])
        assert message["id"] == number, message
        return message

    def ask(self, method, **params):
        message = self.answer(self.request(method, **params))
        assert "result" in message, message
        return message["result"]

    def fail(self, method, **params):
        message = self.answer(self.request(method, **params))
        assert "error" in message, message
        return message["error"]

    def open(self, path, text=None):
        uri = pathlib.Path(path).absolute().as_uri()
        self.versions[uri] = 1
        text = pathlib.Path(path).read_text() if text is None else text
        self.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": "python", "version": 1, "text": text})
        return uri

    def change(self, uri, text):
        self.versions[uri] += 1
        self.tell("textDocument/didChange", textDocument={"uri": uri, "version": self.versions[uri]},
                  contentChanges=[{"text": text}])

    def close(self, uri):
        self.tell("textDocument/didClose", textDocument={"uri": uri})

    def published_for(self, uri, wanted):
        """Waits until diagnostics of the text's version are published that `wanted` is true of."""
        while True:
            for params in [p for p in self.published if p["uri"] == uri]:
                self.published.remove(params)
                if params["version"] == self.versions[uri] and wanted(params["diagnostics"]):
                    return params["diagnostics"]
            message = self.read()
            assert message["method"] == "textDocument/publishDiagnostics", message
            self.published.append(message["params"])

    def diagnostics(self, uri):
        """All of the text as it is, as the server says where it is asked."""
        return self.ask("textDocument/diagnostic", textDocument={"uri": uri})["items"]

    def at(self, method, uri, line, character, **more):
        return self.ask(method, textDocument={"uri": uri}, position={"line": line, "character": character}, **more)

    def end(self, code=0):
        assert self.ask("shutdown") is None
        self.tell("exit")
        assert self.process.wait(LIMIT) == code, self.process.returncode


def find(text, what, after=""):
    """The line and column of the first `what` behind `after`, in UTF-16 units."""
    begin = text.index(what, text.index(after) + len(after) if after else 0)
    line = text.count("\n", 0, begin)
    return line, len(text[text.rfind("\n", 0, begin) + 1:begin].encode("utf-16-le")) // 2


def elapsed(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin
