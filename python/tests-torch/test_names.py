"""Every name of `triton` that PyTorch's sources import, look up, or write into generated kernels exists here, or is listed with
the reason why PyTorch does without it: a new PyTorch shows at once what it lacks."""

import ast
import importlib
import os
import re

import pytest
import torch

ROOT = os.path.dirname(torch.__file__)
# Where PyTorch generates, compiles, analyzes and launches kernels of Triton's language.
PLACES = ("_dynamo", "_export", "_functorch", "_higher_order_ops", "_inductor", "_library", "_utils_internal.py", "sparse",
          "testing/_internal/inductor_utils.py", "testing/_internal/triton_utils.py", "utils")

_OLD = "PyTorch asks for it for the sake of older versions of Triton"
_FORK = "it is in a fork of Triton alone"
_WORDS = "no name of Triton's: PyTorch puts another one in its place"
_EXTENSIONS = "used by PyTorch's own tests of extensions that are older than tensor descriptors"
ABSENT = {
    "triton.backends.compiler.AttrsDescriptor": _OLD,
    "triton.compiler.compiler.AttrsDescriptor": _OLD,
    "triton.fb": _FORK,
    "triton.language._experimental_descriptor_load": _EXTENSIONS,
    "triton.language._experimental_descriptor_store": _EXTENSIONS,
    "triton.language.bool": _WORDS,
    "triton.language.extra.cuda.experimental_device_tensormap_create1d": _OLD,
    "triton.language.extra.cuda.experimental_device_tensormap_create2d": _OLD,
    "triton.language.extra.cuda.experimental_tensormap_fenceproxy_acquire": _EXTENSIONS,
    "triton.language.extra.intel": _FORK,
    "triton.language.extra.tlx": _FORK,
    "triton.language.float4_e2m1fn_x2": _WORDS,
    "triton.language.float8_e4m3fn": _WORDS,
    "triton.language.float8_e4m3fnuz": _WORDS,
    "triton.language.float8_e5m2": _WORDS,
    "triton.language.float8_e5m2fnuz": _WORDS,
    "triton.language.float8_e8m0fnu": _WORDS,
    "triton.language.uint": "a word in a comment, for the types uint8 to uint64",
    "triton.runtime.cache._base64": _OLD,
    "triton.runtime.jit.create_specialize_impl": _OLD,
    "triton.runtime.jit.specialize_impl": _OLD,
    "triton.tools.experimental_descriptor.enable_in_pytorch": _OLD,
}


def list_files():
    for place in PLACES:
        path = os.path.join(ROOT, place)
        if path.endswith(".py"):
            yield path
        for folder, _, files in os.walk(path):
            yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith(".py"))


class Names(ast.NodeVisitor):
    """The dotted names of `triton` in a file, by the line of their first use."""

    def __init__(self, path):
        self.path, self.found, self.roots = path, {}, {}

    def add(self, name, node):
        self.found.setdefault(name, f"{os.path.relpath(self.path, ROOT)}:{node.lineno}")

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == "triton":
                self.add(alias.name, node)
                self.roots[alias.asname or "triton"] = alias.name if alias.asname else "triton"

    def visit_ImportFrom(self, node):
        if not node.level and node.module and node.module.split(".")[0] == "triton":
            for alias in node.names:
                self.add(f"{node.module}.{alias.name}", node)
                self.roots[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        if node.level and (node.module or "").endswith("triton_compat"):
            for alias in node.names:
                if alias.name in ("triton", "tl", "libdevice", "knobs"):
                    self.roots[alias.asname or alias.name] = {"triton": "triton", "tl": "triton.language", "knobs": "triton.knobs",
                                                              "libdevice": "triton.language.extra.libdevice"}[alias.name]

    def read(self, node):
        """The dotted name of an expression, or None."""
        if isinstance(node, ast.Name):
            return self.roots.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.read(node.value)
            return base and f"{base}.{node.attr}"
        return None

    def visit_Attribute(self, node):
        name = self.read(node)
        if name is None:
            self.generic_visit(node)
        else:
            self.add(name, node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) > 1:
            base = self.read(node.args[0])
            if base and isinstance(node.args[1], ast.Constant) and len(node.args) == 2 and node.func.id == "getattr":
                self.add(f"{base}.{node.args[1].value}", node)
        self.generic_visit(node)

    def visit_Constant(self, node):
        # Text of kernels that are generated.
        if isinstance(node.value, str) and "/_inductor/" in self.path:
            for root, name in re.findall(r"(?<![\w.])(tl|libdevice|tl_math)\.([A-Za-z_][\w.]*\w)", node.value):
                base = {"tl": "triton.language", "libdevice": "triton.language.extra.libdevice", "tl_math": "triton.language.math"}
                self.add(f"{base[root]}.{name}", node)


def read_names(path):
    with open(path) as file:
        text = file.read()
    if "triton" not in text and "tl." not in text:
        return {}
    tree, names = ast.parse(text), Names(path)
    # Imports inside of functions bind names that functions before them use, too.
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.visit(node)
    names.visit(tree)
    return names.found


def find_names():
    found = {}
    for path in list_files():
        for name, place in read_names(path).items():
            found.setdefault(name, place)
    return found


def exists(name):
    """Whether a dotted name is a module, or an attribute of one, here. Attributes of functions and classes count as far as
    the functions and classes do."""
    parts = name.split(".")
    value = importlib.import_module("tilerun.triton")
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(value, part):
            try:
                importlib.import_module("tilerun." + ".".join(parts[:i]))
            except ImportError:
                return False
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
        if not hasattr(value, "__path__") and not type(value).__name__ == "module" and not isinstance(value, type):
            return True
    return True


def is_listed(name):
    return any(name == absent or name.startswith(absent + ".") for absent in ABSENT)


def test_names_of_triton(capsys):
    found = find_names()
    assert len(found) > 150, "the walk over PyTorch's sources finds hardly anything"
    lacking = {name: place for name, place in found.items() if not is_listed(name) and not exists(name)}
    with capsys.disabled():
        print(f"\nPyTorch uses {len(found)} names of Triton, of which {sum(map(is_listed, found))} are absent on purpose")
    assert not lacking, "\n" + "\n".join(f"{name} ({place})" for name, place in sorted(lacking.items()))


@pytest.mark.parametrize("name", ABSENT)
def test_absent_names_are_absent(name):
    assert not exists(name), f"{name} is there: take it off the list"
    assert any(used == name or used.startswith(name + ".") for used in find_names()), f"PyTorch does not use {name}: take it off"
