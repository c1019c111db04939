# Diagnostics and outlines of `tilerun lsp`, over the examples and over texts that are being typed.
# Arguments: the command, the folder of examples, a folder to write to.
import glob
import os
import sys

from lsp_client import Client, elapsed, find

command, examples, folder = sys.argv[1:]
HEADER = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = HEADER + '''@triton.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, 2 * x, mask=offsets < n)
'''
ERROR, WARNING, HINT = 1, 2, 4
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "kernel.py")


def only(diagnostics, severity, message):
    assert len(diagnostics) == 1, diagnostics
    assert diagnostics[0]["severity"] == severity and message in diagnostics[0]["message"], diagnostics
    assert diagnostics[0]["source"] == "tilerun", diagnostics
    return diagnostics[0]


def covers(diagnostic, text, what):
    line, character = find(text, what)
    assert diagnostic["range"] == {"start": {"line": line, "character": character},
                                   "end": {"line": line, "character": character + len(what)}}, diagnostic


# What works has neither errors nor hints.
client = Client(command)
for example in sorted(glob.glob(os.path.join(examples, "*.py"))):
    uri = client.open(example)
    found = [d for d in client.diagnostics(uri) if d["severity"] in (ERROR, HINT)]
    assert not found, (example, found)
    names = [s["name"] for s in client.ask("textDocument/documentSymbol", textDocument={"uri": uri})]
    assert names or "@triton.jit" not in open(example).read(), example
    client.close(uri)

# Kernels and helpers; ranges in UTF-16 units.
text = HEADER + '''@triton.jit
def twice(x):
    return 2 * x


@triton.jit
def kernel(x_ptr):
    "😀"; tl.store(x_ptr, twice(missing))
'''
uri = client.open(path, text)
symbols = client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
assert [(s["name"], s["detail"]) for s in symbols] == [("twice", "helper"), ("kernel", "kernel")], symbols
assert symbols[1]["selectionRange"]["start"] == dict(zip(("line", "character"), find(text, "kernel"))), symbols
covers(only(client.diagnostics(uri), ERROR, "missing"), text, "missing")
found = client.published_for(uri, lambda diagnostics: diagnostics)
covers(only(found, ERROR, "missing"), text, "missing")

# A line that is being typed; the outline stays as it was.
client.change(uri, text.replace("twice(missing))", "twice("))
assert client.diagnostics(uri)[0]["severity"] == ERROR
assert client.ask("textDocument/documentSymbol", textDocument={"uri": uri}) == symbols
client.change(uri, text.replace("missing", "1"))
assert client.diagnostics(uri) == []
assert client.published_for(uri, lambda diagnostics: True) == []
client.change(uri, "")
assert client.diagnostics(uri) == []
assert client.ask("textDocument/documentSymbol", textDocument={"uri": uri}) == []

# A signature from a comment, above decorators and among comments; one that is wrong; a guess.
dot = KERNEL.replace("2 * x", "tl.dot(x, x)")
client.change(uri, dot)
warning = only(client.diagnostics(uri), WARNING, "guessed signatures give this")
assert "# tilerun: SIGNATURE" in warning["message"] and "BLOCK=" in warning["message"], warning
matmul = open(os.path.join(examples, "matmul.py")).read()
client.change(uri, matmul.replace("acc += tl.dot(a, b)", "acc += tl.dot(a, a_ptrs)", 1))
hint = only(client.diagnostics(uri), HINT, "may only follow from the signature, which is guessed: BLOCK_K=")
assert "# tilerun: SIGNATURE" in hint["message"], hint
signed = dot.replace("@triton.jit", "# tilerun: x_ptr=*fp32:16, y_ptr=*fp32:16, n=i32, BLOCK=64\n# Scales.\n@triton.jit")
client.change(uri, signed)
only(client.diagnostics(uri), ERROR, "dot")
client.change(uri, KERNEL.replace("@triton.jit", "# tilerun: x_ptr=*fp33\n@triton.jit"))
only(client.diagnostics(uri), ERROR, "fp33")

# Imports: what is not found, if kernels use it; a file on the disk; one that is open, with another text.
text = KERNEL.replace("2 * x", "absent(x)").replace("import triton\n", "import triton\nfrom nowhere import absent, unused\n")
client.change(uri, text)
found = client.diagnostics(uri)
warning = only([d for d in found if d["severity"] == WARNING], WARNING, "'nowhere' was not found")
assert warning["range"]["start"]["line"] == 1, warning
only([d for d in found if d["severity"] != WARNING], ERROR, "nowhere")
helper = HEADER + "@triton.jit\ndef double(x):\n    return 2 * x\n"
other = os.path.join(folder, "helpers.py")
with open(other, "w") as file:
    file.write(helper)
text = KERNEL.replace("2 * x", "double(x)").replace("import triton\n", "import triton\nfrom helpers import double\n")
client.change(uri, text)
assert client.diagnostics(uri) == []
opened = client.open(other, helper.replace("2 * x", "2 * z"))
problem = only(client.diagnostics(uri), ERROR, "z")
covers(problem, text, "double(x)")
assert problem["relatedInformation"][0]["location"]["uri"] == opened, problem
client.close(opened)
assert client.diagnostics(uri) == []

# A changed text concerns those that import it, and no others.
opened = client.open(other, helper)
alone = client.open(os.path.join(folder, "alone.py"), KERNEL)
for one in (uri, opened, alone):
    client.published_for(one, lambda diagnostics: diagnostics == [])
client.published.clear()
client.change(opened, helper.replace("2 * x", "z"))
client.published_for(uri, lambda diagnostics: diagnostics)
client.diagnostics(alone)
assert alone not in [params["uri"] for params in client.published], client.published
client.close(opened)
client.close(alone)

# A long text is shown soon.
body = KERNEL.split("@triton.jit\n")[1]
long = HEADER + "\n".join(f"@triton.jit\n{body.replace('scale', f'scale{i}')}" if i % 100 == 0 else f"VALUE_{i} = {i}  # text\n\n\n"
                          f"def host_{i}(x):\n    return x + {i}\n\n" for i in range(1510)) + "\nlast = scale_\n"
assert long.count("\n") > 10000, long.count("\n")
seconds = elapsed(lambda: (client.change(uri, long), client.published_for(uri, lambda diagnostics: True), client.diagnostics(uri)))
assert seconds < 2, seconds
assert len(client.ask("textDocument/documentSymbol", textDocument={"uri": uri})) == 16

# Many changes at once: the last one counts.
for i in range(50):
    client.change(uri, KERNEL.replace("2 * x", f"{i} * missing"))
only(client.published_for(uri, lambda diagnostics: diagnostics), ERROR, "missing")
client.change(uri, KERNEL)
assert client.published_for(uri, lambda diagnostics: True) == []
client.end()

# What is out of order, and what is not a message.
client = Client(command, initialize=False)
assert client.fail("textDocument/documentSymbol", textDocument={"uri": "file:///a.py"})["code"] == -32002
client.ask("initialize", capabilities={})
assert client.fail("initialize", capabilities={})["code"] == -32600
assert client.fail("textDocument/nothing")["code"] == -32601
assert client.fail("textDocument/documentSymbol")["code"] == -32602
assert "not open" in client.fail("textDocument/documentSymbol", textDocument={"uri": "file:///a.py"})["message"]
client.tell("textDocument/nothing")
client.tell("textDocument/didOpen", textDocument={"uri": "untitled:one", "languageId": "python", "version": 1, "text": ""})
client.tell("textDocument/didChange", textDocument={"uri": "file:///a.py", "version": 1}, contentChanges=[{"text": ""}])
for content, code in ((b"{not json", -32700), (b"[]", -32600), (b"{}", -32600), (b'{"jsonrpc": "2.0"}', -32600)):
    client.write(content)
    answer = client.answer(None)
    assert answer["error"]["code"] == code and answer["error"]["message"], answer
number = client.request("textDocument/documentSymbol", textDocument={"uri": client.open(path, KERNEL)})
client.tell("$/cancelRequest", id=number)
assert len(client.answer(number)["result"]) == 1
assert client.ask("shutdown") is None
assert client.fail("textDocument/documentSymbol", textDocument={"uri": "file:///a.py"})["code"] == -32600
client.tell("exit")
assert client.process.wait(60) == 0
client = Client(command)
client.tell("exit")
assert client.process.wait(60) == 1
print("the server is right")
