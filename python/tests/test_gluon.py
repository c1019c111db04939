"""Packages with kernels in Gluon can be imported; the kernels are refused by name where they would run."""

import pytest

KERNELS = '''
import numpy
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, mbarrier
from triton.experimental.gluon.language.nvidia.hopper import tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
import triton.experimental.gluon.language.amd.cdna4.async_copy

LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@triton.autotune([triton.Config({"B": 4})], key=["n"])
@gluon.jit
def tuned(x, n, B: gl.constexpr):
    gl.store(x + gl.arange(0, B, layout=LAYOUT), 1.0)


@gluon.jit(do_not_specialize=["n"])
def copy(x, y, n: gl.int32, B: gl.constexpr, layout: gl.constexpr = LAYOUT, more: gl.constexpr | None = None):
    i = gl.arange(0, B, layout=layout)
    gl.store(y + i, gl.load(x + i))


@triton.jit
def double(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, 2 * tl.load(x + i))


@triton.jit
def calls(x):
    copy(x, x, 4, 4)


x, y = numpy.arange(4, dtype=numpy.float32), numpy.zeros(4, numpy.float32)
'''


def test_packages_with_such_kernels_run_their_others(run_text):
    run_text(KERNELS + '''
double[(1, )](x, y, B=4)
assert y.tolist() == [0, 2, 4, 6]
assert copy.is_gluon() and not double.is_gluon() and copy.arg_names[:3] == ["x", "y", "n"]
assert gl.float32 is tl.float32 and gl.constexpr is tl.constexpr
assert gl.extra.libdevice is tl.extra.libdevice
assert mbarrier is triton.experimental.gluon.language.nvidia.hopper.mbarrier
assert repr(LAYOUT.value) == "gluon.language.BlockedLayout([1], [32], [4], [0])"
assert gl.BlockedLayout([1], [32], [4], [0]) == LAYOUT.value != gl.BlockedLayout([2], [32], [4], [0])
assert not hasattr(gl, "nothing")
''')


@pytest.mark.parametrize("launch", ("copy[(1, )](x, y, 4, B=4)", "copy[(1, )](x, LAYOUT, gl.load, B=4)", "copy.warmup(x, y, 4, B=4, grid=(1, ))",
                                    "copy.run(x, y, 4, B=4, grid=(1, ))", "tuned[(1, )](x, 4)", "calls[(1, )](x)",
                                    "triton.compile(triton.compiler.ASTSource(copy, {'x': '*fp32', 'y': '*fp32', 'n': 'i32'}, {'B': 4}), "
                                    "target=triton.compiler.GPUTarget('cuda', 90, 32))"))
def test_launches_are_refused(run_text, launch):
    name, first = ("tuned", "@triton.autotune([triton.Config({\"B\": 4})], key=[\"n\"])") if launch.startswith("tuned") else ("copy", "@gluon.jit(do_not_specialize=[\"n\"])")
    line = KERNELS.splitlines().index(first) + 1
    done = run_text(KERNELS + f'''
import tilerun
try:
    {launch}
except tilerun.errors.UnsupportedError as error:
    print(error)
''')
    path = done.stdout.partition("(")[2].partition(":")[0]
    assert done.stdout == (f"kernel '{name}' ({path}:{line}) is in Gluon (@gluon.jit), which states layouts by hand for Triton's own compiler and is not "
                           "supported; take the package's kernel for @triton.jit, if it has one\n")
