# Hovers and definitions of `tilerun lsp`. Arguments: the command, the folder of examples, a folder to write to.
import os
import pathlib
import sys

from lsp_client import Client, find

command, examples, folder = sys.argv[1:]
os.makedirs(os.path.join(folder, "package"), exist_ok=True)
path = os.path.join(folder, "kernel.py")
TEXT = '''import package.deep
import triton
import triton.language as tl
from helpers import double as twice
from nowhere import unknown

FACTOR: tl.constexpr = 3


@triton.jit
def shift(value, by=1):
    """Moves a value.

    More of it."""
    moved = value + by
    return moved


# tilerun: x_ptr=*fp16:16, y_ptr=*fp16:16, n=u32, ROWS=16, COLUMNS=64
@triton.jit
def product(x_ptr, y_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    "😀"; x = tl.load(x_ptr + rows[:, None] * n + columns[None, :])  # x is a tile
    pair = (x, ROWS)
    acc = tl.dot(x, tl.trans(x), out_dtype=tl.float32)
    acc += shift(acc) * FACTOR
    acc = acc.to(tl.float16)
    total = tl.sum(acc, axis=0)
    other = twice(total) + package.deep.triple(shift(ROWS, by=2))
    tl.store(y_ptr + rows, other)


@triton.jit
def guessed(x_ptr):
    value = tl.load(x_ptr)
    tl.store(x_ptr, min(value, 1))


def launch(x):
    product[(1,)](x, x, 4, ROWS=16, COLUMNS=64)
'''
HELPERS = "import triton\nfrom inner import *\n"
INNER = "import triton\n\n\n@triton.jit\ndef double(x):\n    return x + x\n"
DEEP = "import triton\n\n\n@triton.jit\ndef triple(x):\n    return 3 * x\n"
for name, text in (("helpers.py", HELPERS), ("inner.py", INNER), ("package/__init__.py", ""), ("package/deep.py", DEEP)):
    pathlib.Path(folder, name).write_text(text)

client = Client(command)
uri = client.open(path, TEXT)


def hover(what, after="", offset=0):
    line, character = find(TEXT, what, after)
    return client.at("textDocument/hover", uri, line, character + offset)


def code(what, after="", offset=0):
    shown = hover(what, after, offset)
    assert shown and shown["contents"]["kind"] == "markdown", (what, shown)
    text = shown["contents"]["value"]
    assert text.startswith("```python\n"), text
    return text.split("\n```")[0][len("```python\n"):]


def shows(expected, *place, **more):
    assert code(*place, **more) == expected, (place, code(*place, **more))


# Variables: where they are assigned, where they are used, and of several assignments the last one before.
shows("x: tensor<16x64xf16> (float16)", "x = tl.load")
shows("x: tensor<16x64xf16> (float16)", "x, tl.trans")
shows("rows: tensor<16xi32> (int32)", "rows, columns")
shows("acc: tensor<16x16xf32> (float32)", "acc = tl.dot")
shows("acc: tensor<16x16xf32> (float32)", "acc.to")
shows("acc: tensor<16x16xf16> (float16)", "acc, axis")
shows("pair[0]: tensor<16x64xf16> (float16)\npair[1]: i32 (int32)", "pair = ")
shown = hover("total = ")
assert "Given signature: `COLUMNS=64, ROWS=16, n=u32, x_ptr=*fp16:16" in shown["contents"]["value"], shown
line, character = find(TEXT, "total = ")
assert shown["range"] == {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + 5}}

# Parameters, of kernels and of helpers, which may be called with several types.
shows("x_ptr: !tile.ptr<f16> (pointer<float16>)", "x_ptr, y_ptr, n, ROWS:")
shows("n: i32 (uint32)", "n, ROWS:")
shows("COLUMNS: constexpr 64", "COLUMNS: tl")
shows("value: tensor<16x16xf32> (float32) or constexpr 16", "value, by")
assert code("moved\n").startswith("moved: tensor<16x16xf32> (float32)")
shown = hover("x_ptr):")["contents"]["value"]
assert "x_ptr: !tile.ptr<f32>" in shown and "Guessed signature: `x_ptr=*fp32:16`" in shown, shown

# Expressions, and the results of calls.
shows("rows[:, None] * n: tensor<16x1xi32>", "* n +")
shows("rows[:, None]: tensor<16x1xi32>", "[:, None]", offset=3)
load = hover("load(x_ptr + rows")["contents"]["value"]
assert "tl.load(pointer, mask=None" in load and "-> tensor<16x64xf16>" in load and "Given signature" in load, load
assert len(load.split("```")[2].strip()) > 20, load
assert code("sum(acc").startswith("tl.sum(") and code("sum(acc").endswith("-> tensor<16xf16>"), code("sum(acc")
assert code("to(tl.float16").endswith("-> tensor<16x16xf16>"), code("to(tl.float16")
assert code("min(value").startswith("min(")
shows("module triton.language", "tl.trans")
assert "float16" in code("float16)")

# Functions and globals.
shown = hover("shift(acc")["contents"]["value"]
assert "def shift(value, by=1)" in shown and "Moves a value." in shown and "More" not in shown, shown
assert code("twice(total").startswith("def double(x)")
assert code("triple(").startswith("def triple(x)")
shows("FACTOR = 3", "FACTOR\n")
shows("def product(x_ptr, y_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr)", "product[")
for what, after in (("is a tile", ""), ("Moves", ""), ("😀", ""), ("    return moved", "")):
    assert hover(what, after) is None, (what, hover(what, after))
assert client.at("textDocument/hover", uri, 9999, 0) is None


def definition(what, after="", text=TEXT, of=None):
    line, character = find(text, what, after)
    return client.at("textDocument/definition", of or uri, line, character)


def goes(what, to, after="", text=TEXT, name=path):
    location = definition(what, after)
    start = dict(zip(("line", "character"), find(text, to)))
    assert location and location["uri"] == pathlib.Path(folder, name).absolute().as_uri(), (what, location)
    assert location["range"]["start"] == start, (what, location, start)


# Variables, helpers, imports through imports, members of packages, host code; the language has no file.
goes("x, tl.trans", "x = tl.load")
goes("n +", "n, ROWS")
goes("shift(acc", "shift(value")
goes("twice(total", "double", text=INNER, name="inner.py")
goes("double as", "double", text=INNER, name="inner.py")
goes("triple(", "triple", text=DEEP, name="package/deep.py")
goes("deep.triple", "import", text=DEEP, name="package/deep.py")
goes("FACTOR\n", "FACTOR")
goes("product[", "product(x_ptr")
goes("helpers import", "import", text=HELPERS, name="helpers.py")
goes("unknown", "unknown")
goes("tl.trans", "triton.language as tl")
assert definition("trans(") is None and definition("is a tile") is None and definition("min(") is None

# The definition in a text that is open is where it is there.
inner = os.path.join(folder, "inner.py")
other = client.open(inner, "\n\n" + INNER)
assert definition("twice(total")["range"]["start"]["line"] == 6
client.close(other)
assert definition("twice(total")["range"]["start"]["line"] == 4

# A text that does not parse, and one without kernels.
client.change(uri, TEXT.replace("acc.to(tl.float16)", "acc.to(("))
assert hover("x = tl.load") is None and definition("shift(acc") is None
client.change(uri, "x = 1\n")
assert client.at("textDocument/hover", uri, 0, 0) is None

# Every name of an example's kernels has an answer.
text = pathlib.Path(examples, "matmul.py").read_text()
uri = client.open(os.path.join(examples, "matmul.py"))
begin = text.index("@triton.jit")
named = sum(client.at("textDocument/hover", uri, text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1) is not None
            for at in range(begin, begin + 1500, 7))
assert named > 50, named
client.end()
print("names are right")
