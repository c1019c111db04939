# Inlay hints of `tilerun lsp`. Arguments: the command, the folder of examples, a folder to write to.
import os
import re
import subprocess
import sys

from lsp_client import Client, find

command, examples, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "kernel.py")
TEXT = '''import triton
import triton.language as tl


@triton.jit
def helper(x):
    y = x + 1.0
    return y


# tilerun: x_ptr=*fp16:16, y_ptr=*fp32:16
@triton.jit
def product(x_ptr, y_ptr):
    rows = tl.arange(0, 64)
    places = rows[:, None] * 64 + rows[None, :]
    x = tl.load(x_ptr + places)
    acc = tl.zeros((64, 64), tl.float32)
    acc += tl.dot(x, x)
    "😀"; total = tl.sum(acc, axis=1)
    scalar = tl.sum(total, axis=0)
    tl.store(y_ptr + rows, helper(total) + scalar)


# tilerun: x_ptr=*fp32:16
@triton.jit
def copy(x_ptr):
    values = tl.load(x_ptr + tl.arange(0, 1024))
    tl.store(x_ptr + tl.arange(0, 1024), values)
'''
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}


def inlays(client, uri, span=WHOLE):
    return client.ask("textDocument/inlayHint", textDocument={"uri": uri}, range=span)


def at(hints, what, name):
    line, character = find(TEXT, what)
    found = [h for h in hints if h["position"] == {"line": line, "character": character + len(name)}]
    assert len(found) <= 1, found
    return found[0] if found else None


def begins(hint, text):
    assert hint and hint["label"].startswith(text), (hint, text)


client = Client(command)
uri = client.open(path, TEXT)
hints = inlays(client, uri)
assert at(hints, "rows = ", "rows")["label"] == ": 64xi32", hints
begins(at(hints, "x = tl.load", "x"), ": 64x64xf16 [lane ")
begins(at(hints, "acc += ", "acc"), ": 64x64xf32 [lane ")
begins(at(hints, "total = ", "total"), ": 64xf32")
assert at(hints, "scalar = ", "scalar") is None
assert at(hints, "y = x + 1.0", "y")["label"] == ": 64xf32", hints
values = at(hints, "values = ", "values")
assert values["label"] == ": 1024xf32 [lane 32, warp 4, register 8]", values
assert values["tooltip"].startswith("On cuda:sm_90a with 4 warps: {register = [("), values
assert values["kind"] == 1, values

# The tooltip is what `tilerun layout` reads, and its counts are those of the label.
text = values["tooltip"].split(": ", 1)[1]
subprocess.run([command, "layout", text], check=True, capture_output=True)
for name, count in (("lane", 5), ("warp", 2), ("register", 3)):
    assert len(re.search(name + r" = \[([^\]]*)\]", text).group(1).split("(")) - 1 == count, text

# A part of the text, and a text that is being typed.
line, _ = find(TEXT, "values = ")
part = inlays(client, uri, {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 50}})
assert part == [values], part
client.change(uri, TEXT + "@triton.jit\ndef more(x\n")
assert inlays(client, uri) == []
client.change(uri, TEXT.replace("arange(0, 1024)", "arange(0, 512)"))
begins(at(inlays(client, uri), "values = ", "values"), ": 512xf32 [lane 32, warp 4, register 4]")
client.end()

# Another target; one that does not exist is told of, and has shapes alone.
client = Client(command, initializationOptions={"target": "hip:gfx942"})
begins(at(inlays(client, client.open(path, TEXT)), "values = ", "values"), ": 1024xf32 [lane 64, warp 4, register 4]")
client.end()
client = Client(command, initialize=False)
number = client.request("initialize", capabilities={}, initializationOptions={"target": "nothing:1"})
assert client.answer(number)["result"]["capabilities"]["inlayHintProvider"]
message = client.read()
assert message["method"] == "window/showMessage" and "nothing:1" in message["params"]["message"], message
assert at(inlays(client, client.open(path, TEXT)), "values = ", "values")["label"] == ": 1024xf32"
client.end()

# The examples: each has shapes, and most have layouts.
client = Client(command)
for name in ("softmax.py", "matmul.py", "layer_norm.py"):
    hints = inlays(client, client.open(os.path.join(examples, name)))
    assert len(hints) > 5 and any("[lane " in h["label"] for h in hints), (name, hints)
client.end()
print("layouts are right")
