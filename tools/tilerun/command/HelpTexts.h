// The long texts of the command's help.
#pragma once

namespace tilerun::command {

inline constexpr const char *kOverview = R"(Compile and run Triton kernels, with no Python.

Examples:
  tilerun run add.py::add_kernel n=1000 'x=f32[n]:randn(1)' 'y=f32[n]:randn(2)' out=f32[n]:empty \
      n_elements=n BLOCK_SIZE=256 --grid 'cdiv(n, BLOCK_SIZE)' --expect 'out=x + y'
  tilerun check softmax.py::softmax_kernel …        the same, with every check on
  tilerun debug softmax.py::softmax_kernel …        step through it, forward and backward
  tilerun show softmax.py::softmax_kernel …         which program reads and writes what, and how
  tilerun compile add.py::add_kernel --signature 'x=*f32:16, n=i32, BLOCK_SIZE=256' --emit tile-opt
  tilerun compile add.py::add_kernel --signature … --target cuda:sm_90a --emit ptx
  tilerun list add.py
  tilerun run add.py::add_kernel --template         a launch to fill in
  tilerun layout mma.m16n8.d                        which lane and register hold what
  tilerun demo
  tilerun doctor                                    what is installed, and does it work

Exit codes: 0 ok; 1 mismatch or failed check; 2 usage; 3 compile error; 4 device unavailable;
5 fault while running; 70 internal bug (a reproducer is named).
)";

inline constexpr const char *kLayouts = R"(Examples:
  tilerun layout mma.m16n8.d                                  an accumulator of mma.sync
  tilerun layout blocked:64x64,vector=4 --slice 0:4,0:16
  tilerun layout blocked:64x64,vector=4 --to mma.m16n8.d:64x64,warps=2x2 --target cuda:sm_90a
  tilerun layout swizzled:64x64 --element f16 -o swizzled.svg
  tilerun layout blocked:64x64,vector=8 --to strided:64x64 --element f16     bank conflicts
  tilerun layout '{register = [(0, 1)], lane = [(0, 2), (1, 0)]} -> (dim0: 2, dim1: 4)'

Layouts (docs/layouts.md):
  {…} -> (…)                              the text in 'tilerun compile --emit layout'
  blocked:SHAPE,vector=N,lanes=N,warps=N,order=1x0    neighbours in a thread, in lanes, in warps
  FRAGMENT:SHAPE,warps=RxC                a matrix instruction's: mma.m16n8.d, mfma.32x32.d, …
  strided:SHAPE,order=1x0                 in memory, dense; the last dimension is contiguous
  swizzled:RxC,inner=D, crossed:RxC       in memory, as operands of products are stored
SHAPE is 1024, 64x64, …, in powers of two; all else may be left out.
)";

inline constexpr const char *kValues =
    R"(Values (NAME is a parameter of the kernel, a global of its file that only host code knows, or a
name for later values):
  7, -0.5, true, none, '"gelu"', tl.float16, (1, 2)     numbers, strings, dtypes, tuples
  cdiv(n, 4) * 2, x.stride(0), x.shape[1]               expressions over earlier names
  f32[64,K]:randn(1)          a tensor: element type, shape, contents
  f32[64,64]{1,64}:zeros      with strides in elements
  @x.npy, bf16@w.npy          a file; '|V1' and '<V2' files need the element type
  x, x[1:], x.T, copy(x)      a tensor of an earlier name, a view of it, a copy
  f16(x * 2)                  a computed tensor needs an element type
Contents: zeros ones full(v) arange(start, step) rand(seed) randn(seed) randint(low,high,seed)
          empty (never written) @FILE.npy
Expressions: + - * / // % ** @ & | ^ ~ << >> comparisons, and/or/not, a if c else b, slices, .T,
  cdiv next_power_of_2 min max abs round exp log sqrt tanh erf sigmoid gelu relu softmax where
  maximum minimum sum mean var std argmax cumsum sort matmul transpose reshape cat arange tril …
  Tensors in them are what was passed in, computed in float64.
Meta-parameters come from the autotune config (--autotune-config), then @triton.heuristics, then
defaults; a value given here wins.
)";

} // namespace tilerun::command
