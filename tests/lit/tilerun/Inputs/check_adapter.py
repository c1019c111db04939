# A client of the Debug Adapter Protocol: drives `tilerun debug --dap` over pipes through a session, and
# checks what it answers. Arguments: the command, the file of kernels.
import json
import os
import subprocess
import sys

command, kernels = sys.argv[1], sys.argv[2]


class Client:
    def __init__(self, arguments):
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sequence = 0
        self.events = []

    def read(self):
        length = None
        while (line := self.process.stdout.readline().decode().strip()) or length is None:
            assert line, "the server ended"
            name, value = line.split(":", 1)
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, succeeds=True, **arguments):
        self.sequence += 1
        text = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()
        while (message := self.read())["type"] == "event":
            self.events.append(message)
        assert message["type"] == "response" and message["request_seq"] == self.sequence, message
        assert message["command"] == command and message["success"] == succeeds, message
        return message["body"] if succeeds else message["message"]

    def event(self, name):
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(i)["body"]
            message = self.read()
            assert message["type"] == "event", message
            self.events.append(message)

    def stopped(self, reason, line):
        body = self.event("stopped")
        assert body["reason"] == reason, body
        frame = self.ask("stackTrace", threadId=body["threadId"])["stackFrames"][0]
        assert frame["line"] == line, frame
        assert os.path.samefile(frame["source"]["path"], kernels), frame
        return body

    def locals(self, frame=1):
        scopes = self.ask("scopes", frameId=frame)["scopes"]
        reference = next(s["variablesReference"] for s in scopes if s["name"] == "Locals")
        variables = self.ask("variables", variablesReference=reference)["variables"]
        return {v["name"]: v["value"] for v in variables}


client = Client([command, "debug", "--dap"])
assert client.ask("initialize", adapterID="tilerun")["supportsStepBack"]
assert "'launch' first" in client.ask("threads", succeeds=False)
assert "did you mean" in client.ask("launch", succeeds=False, target=f"{kernels}::normalise", arguments=[])
client.ask(
    "launch",
    target=f"{kernels}::normalize",
    arguments=["x_ptr=f32(maximum(8 - arange(12), 0))", "out_ptr=f32[12]:zeros", "n=12", "BLOCK=4"],
    grid="3",
)
client.event("initialized")
path = os.path.join(os.path.dirname(kernels), ".", os.path.basename(kernels))
points = client.ask(
    "setBreakpoints",
    source={"path": path},
    breakpoints=[{"line": 21, "condition": "pid == 1 and i == 1"}, {"line": 10}, {"line": 999}],
)["breakpoints"]
assert [p["verified"] for p in points] == [True, True, False], points
assert points[1]["line"] == 15 and "no statement" in points[2]["message"], points
points = client.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": 21, "condition": "pid == 1 and i == 1"}])
client.ask("configurationDone")

body = client.stopped("breakpoint", 21)
assert body["hitBreakpointIds"] == [points["breakpoints"][0]["id"]], body
threads = client.ask("threads")["threads"]
assert threads == [{"id": 2, "name": "program (1, 0, 0)"}], threads
values = client.locals()
assert values["total"] == "float32: 10" and values["i"] == "int32: 1" and values["BLOCK"] == "4", values
assert values["x_ptr"] == "pointer<float32>: &x_ptr[0]", values
assert client.ask("evaluate", expression="max(x) + total", frameId=1)["result"] == "14"
assert client.ask("evaluate", expression="x[1:3]", frameId=1)["result"].endswith("[3, 2]")
assert "did you mean 'total'" in client.ask("evaluate", succeeds=False, expression="totl", frameId=1)

# Into the helper, with its caller below it; back out; and back in time.
client.ask("next", threadId=2)
client.stopped("step", 22)
client.ask("stepIn", threadId=2)
client.stopped("step", 8)
frames = client.ask("stackTrace", threadId=2)["stackFrames"]
assert [(f["name"], f["line"]) for f in frames] == [("scale", 8), ("normalize", 22)], frames
assert client.locals(1)["factor"] == "2.0" and client.locals(2)["total"] == "float32: 20", client.locals(2)
client.ask("stepOut", threadId=2)
client.stopped("step", 22)
client.ask("next", threadId=2)
client.stopped("step", 23)
client.ask("stepBack", threadId=2)
client.stopped("step", 22)
assert "y" not in client.locals()
client.ask("reverseContinue", threadId=2)
client.stopped("breakpoint", 21)
assert client.locals()["total"] == "float32: 10"

# A write to memory, and where the NaN is from.
info = client.ask("dataBreakpointInfo", name="out_ptr[9]")
watch = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"][0]
client.ask("continue", threadId=2)
body = client.event("stopped")
assert body["reason"] == "data breakpoint" and body["hitBreakpointIds"] == [watch["id"]], body
assert "program (2, 0, 0) wrote out_ptr[9]" in body["text"] and "0 -> nan" in body["text"], body
result = client.ask("evaluate", expression="nan", context="repl")["result"]
assert "'arith.divf' gives NaN at [0], the first of 4 elements" in result and "total = 0" in result, result
client.stopped("goto", 25)
assert "not supported" in client.ask("restart", succeeds=False)
client.ask("setDataBreakpoints", breakpoints=[])
client.ask("setExceptionBreakpoints", filters=["nan"])
client.ask("stepBack", threadId=3)
client.stopped("step", 23)
client.ask("continue", threadId=3)
assert "'arith.divf' gives NaN" in client.stopped("exception", 25)["text"]
client.ask("setExceptionBreakpoints", filters=[])
client.ask("setBreakpoints", source={"path": path}, breakpoints=[])
client.ask("continue", threadId=3)
assert client.event("exited")["exitCode"] == 0
client.event("terminated")
client.ask("disconnect")
assert client.process.wait(60) == 0

# The launch may come from the command line, and stop at the first statement.
client = Client([command, "debug", "--dap", f"{kernels}::stopping", "x_ptr=f32[1]:full(2)", "out_ptr=f32[1]:zeros"])
client.ask("initialize", adapterID="tilerun")
client.ask("launch", stopOnEntry=True)
client.event("initialized")
client.ask("configurationDone")
client.stopped("entry", 31)
client.ask("continue", threadId=1)
client.stopped("breakpoint", 32)
client.ask("disconnect")
assert client.process.wait(60) == 0
print("the adapter is right")
