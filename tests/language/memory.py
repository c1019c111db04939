"""Loads and stores."""

import triton
import triton.language as tl


#: X=i32[1,2] Z->i32[1,2,0,0] Y->i32[1,2,9,9] F->fp16[1,2,-0.5,-0.5] beyond
@triton.jit
def masked_loads(X, Z, Y, F):
    """M1: A lane whose mask is false touches no memory, and a load gives `other` there, or 0 where there is no `other`."""
    # X has two elements; the other two lanes would read past its end.
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.load(X + i, mask=i < 2))
    tl.store(Y + i, tl.load(X + i, mask=i < 2, other=9))
    tl.store(F + i, tl.load(X + i, mask=i < 2, other=0).to(tl.float16) + tl.where(i < 2, 0.0, -0.5).to(tl.float16))


#: X=fp32[1,2] Z->fp32[0.0] beyond
@triton.jit
def masked_scalar(X, Z):
    """M1: or 0 where there is no `other`."""
    tl.store(Z, tl.load(X + 1000000, mask=tl.program_id(0) > 0))


#: Z=i32[7,7,7,7]->[0,1,7,7]
@triton.jit
def masked_stores(Z):
    """M1: A lane whose mask is false touches no memory"""
    i = tl.arange(0, 4)
    tl.store(Z + i, i, mask=i < 2)
    tl.store(Z + 1000000 + i, i, mask=i < 0)


#: X=fp16[1,2] Z->fp16[1,0.0999755859375] I=i8[1,2] Y->i8[1,3]
@triton.jit
def other_is_cast(X, Z, I, Y):
    """M2: `other` and a stored value are cast to the element type of the pointer."""
    i = tl.arange(0, 2)
    x = tl.load(X + i, mask=i < 1, other=0.1)
    tl.static_assert(x.dtype == tl.float16)
    tl.store(Z + i, x)
    y = tl.load(I + i, mask=i < 1, other=3.7)
    tl.static_assert(y.dtype == tl.int8)
    tl.store(Y + i, y)


#: Z->i8[44,-1] Y->fp16[0.0999755859375,0.0999755859375] W->u8[1,254]
@triton.jit
def stored_values_are_cast(Z, Y, W):
    """M2: a stored value are cast to the element type of the pointer."""
    i = tl.arange(0, 2)
    tl.store(Z + i, tl.where(i == 0, 300, -1))
    tl.store(Y + i, 0.1)
    tl.store(W + i, tl.where(i == 0, 1.9, 254.2))


#: X=u8[0,1,2,255] Z->i32[0,1,1,1]
@triton.jit
def bools_in_memory(X, Z):
    """M3: `int1` occupies one byte in memory: 0 is false, anything else is true"""
    i = tl.arange(0, 4)
    x = tl.load(X.to(tl.pointer_type(tl.int1)) + i)
    tl.store(Z + i, (x != 0).to(tl.int32))


#: X=i32[0,5,-1,256] Z->u8[0,1,1,1]
@triton.jit
def bools_are_written_as_one(X, Z):
    """M3: 1 is written for true."""
    i = tl.arange(0, 4)
    tl.store(Z.to(tl.pointer_type(tl.int1)) + i, tl.load(X + i) != 0)


#: X=i32[5,6] O=i32[7,8,9,10] Z->i32[5,5,9,10] Y->i32[5,5,5,5] beyond
@triton.jit
def loads_broadcast(X, O, Z, Y):
    """M4: In a load, the pointers broadcast together with `mask` and `other`."""
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.load(X + tl.arange(0, 1), mask=i < 2, other=tl.load(O + i)))
    tl.store(Y + i, tl.load(X + tl.arange(0, 1), mask=i < 4))


#: X=i32[5,6,7,8] n=3 Z->i32[5,6,7,8] Y->i32[5,5,7,7]
@triton.jit
def mask_and_other_broadcast(X, n, Z, Y):
    """M4: the pointers broadcast together with `mask` and `other`."""
    i, j = tl.arange(0, 2), tl.arange(0, 2)
    at = X + i[:, None] * 2 + j[None, :]
    out = i[:, None] * 2 + j[None, :]
    tl.store(Z + out, tl.load(at, mask=n > 2, other=0))
    tl.store(Y + out, tl.load(at, mask=(j < 1)[None, :], other=tl.load(X + i * 2)[:, None]))


#: Z=i32[0*4]->[3,0,3,0] Y=i32[1*4]->[3,1,3,1]
@triton.jit
def stores_broadcast(Z, Y):
    """M5: In a store or an atomic, everything else broadcasts to the shape of the pointers"""
    i, j = tl.arange(0, 2), tl.arange(0, 2)
    at = i[:, None] * 2 + j[None, :]
    tl.store(Z + at, 3, mask=(j < 1)[None, :])
    tl.atomic_add(Y + at, 2, mask=(j < 1)[None, :])


#: Z=i32[0] refused
@triton.jit
def pointers_do_not_broadcast(Z):
    """M5: the shape of the pointers, which do not broadcast."""
    # error: tl.store: 'value' has shape [4], which does not broadcast to a single pointer
    tl.store(Z, tl.arange(0, 4))
    # error: tl.store: 'value' has shape [4], which does not broadcast to the pointer's shape [1]
    tl.store(Z + tl.arange(0, 1), tl.arange(0, 4))
    # error: tl.atomic_add: 'val' has shape [4], which does not broadcast to a single pointer
    tl.atomic_add(Z, tl.arange(0, 4))


#: X=i32[1,2,3,4] Z->i32[1,2,3,4] Y->i32[1,2,3,4]
@triton.jit
def cache_modifiers(X, Z, Y):
    """M6: `cache_modifier`, `eviction_policy` and `volatile` change no result."""
    i = tl.arange(0, 4)
    x = tl.load(X + i, cache_modifier=".ca", eviction_policy="evict_last")
    x = tl.maximum(x, tl.load(X + i, cache_modifier=".cg", eviction_policy="evict_first"))
    x = tl.maximum(x, tl.load(X + i, volatile=True))
    tl.store(Z + i, x, cache_modifier=".wb", eviction_policy="evict_first")
    tl.store(Y + i, tl.load(X + i, cache_modifier=".cv"), cache_modifier=".cs")


#: X=i32[1] refused
@triton.jit
def unknown_modifiers(X):
    """M6: `cache_modifier`, `eviction_policy`"""
    # error: tl.load: 'cache_modifier' is '.xy'; use '.ca', '.cg' or '.cv'
    x = tl.load(X, cache_modifier=".xy")
    # error: tl.load: 'eviction_policy' is 'evict'; use 'evict_normal', 'evict_first' or 'evict_last'
    x = tl.load(X, eviction_policy="evict")
    # error: tl.store: 'cache_modifier' is '.ca'; use '.wb', '.cg', '.cs' or '.wt'
    tl.store(X, 1, cache_modifier=".ca")


#: X=fp32[1,2,3,4,5,6] Z->fp32[4,5,6,0] Y->fp32[5,6,nan,nan] W=fp32[0*4]->[5,6,0,0]
@triton.jit
def block_pointers(X, Z, Y, W):
    """M7: `boundary_check` and `padding_option` are for block pointers: elements outside the tensor, along the
    dimensions that are checked, read as 0, or as NaN with `padding_option="nan"`, and are not written.
    """
    # Two rows of three elements, of which the second one is read, and the elements to the right of
    # it.
    p = tl.make_block_ptr(X, (2, 3), (3, 1), (1, 0), (1, 4), (1, 0))
    i = tl.arange(0, 4)
    tl.store(Z + i, tl.load(p, boundary_check=(0, 1), padding_option="zero").reshape(4))
    p = tl.advance(p, (0, 1))
    x = tl.load(p, boundary_check=(1, ), padding_option="nan")
    tl.store(Y + i, x.reshape(4))
    out = tl.make_block_ptr(W, (1, 2), (2, 1), (0, 0), (1, 4), (1, 0))
    tl.store(out, x, boundary_check=(0, 1))


#: X=fp32[1] refused
@triton.jit
def boundary_check_without_block(X):
    """M7: `boundary_check` and `padding_option` are for block pointers"""
    # error: tl.load: 'boundary_check' is for block pointers of tl.make_block_ptr; use mask= with a tensor of pointers
    x = tl.load(X, boundary_check=(0, ))
    # error: tl.load: 'padding_option' is for block pointers of tl.make_block_ptr; use other= with a tensor of pointers
    x = tl.load(X, padding_option="nan")


#: X=fp32[1,2,3,4,5,6,7,8] Z->fp32[6,7,0,0] Y->fp32[6,7,nan,nan] W=fp32[0*8]->[0,0,0,0,0,0,6,7]
@triton.jit
def descriptors(X, Z, Y, W):
    """M8: A tensor descriptor reads 0 outside its tensor, or NaN with `padding_option="nan"`, and does not write
    there.
    """
    # Two rows of three elements each, four apart.
    i = tl.arange(0, 4)
    zeros = tl.make_tensor_descriptor(X, [2, 3], [4, 1], [1, 4])
    x = zeros.load([1, 1])
    tl.store(Z + i, x.reshape(4))
    nans = tl.make_tensor_descriptor(X, [2, 3], [4, 1], [1, 4], padding_option="nan")
    tl.store(Y + i, nans.load([1, 1]).reshape(4))
    out = tl.make_tensor_descriptor(W, [2, 4], [4, 1], [1, 4])
    out.store([1, 2], x)


#: X=i32[1,2] Z=fp32[0*4]->[1,2,7,7] Y->fp32[2,7] beyond
@triton.jit
def more_forms_of_blocks(X, Z, Y):
    """M9: Beyond Triton: stores through block pointers convert and broadcast tensors as other stores do, offsets into block
    pointers and descriptors may have 64 bits, and a single number may stand for a list of one offset or dimension.
    """
    zero = tl.program_id(0).to(tl.int64)
    p = tl.make_block_ptr(Z, (4, ), (1, ), (zero, ), (2, ), (0, ))
    tl.store(p, tl.load(X + tl.arange(0, 2)), boundary_check=0)
    tl.store(tl.advance(p, 2), tl.full((1, ), 7, tl.float32))
    tl.debug_barrier()
    x = tl.make_tensor_descriptor(Z, [4], [1], [4]).load([zero + 1])
    tl.store(Y + tl.arange(0, 4), x, mask=tl.arange(0, 4) < 2)


#: X=fp32[1,2,3,4,5,6,7,8] Z->fp32[5,6,7,8,1,2,3,4] Y=fp32[0*8]->[1,2,3,4,5,6,7,8] A=i64[10,20]->[10,21] F=fp32[1,2,3,4]->[2.5,2.5,3,4] beyond
@triton.jit
def more_of_descriptors(X, Z, Y, A, F):
    """M10: Beyond Triton: descriptors gather and scatter fewer than eight rows, or fewer than 32 bytes of each; they add
    `int64` and `float64`, and keep the larger or smaller of `float32` and `float64`.
    """
    rows = 1 - tl.arange(0, 2)
    x = tl.make_tensor_descriptor(X, [2, 4], [4, 1], [1, 4]).gather(rows, 0)
    tl.store(Z + tl.arange(0, 8), x.reshape(8))
    tl.make_tensor_descriptor(Y, [2, 4], [4, 1], [1, 4]).scatter(x, rows, 0)
    tl.make_tensor_descriptor(A, [2], [1], [2]).atomic_add([0], tl.arange(0, 2).to(tl.int64))
    tl.make_tensor_descriptor(F, [4], [1], [4]).atomic_max([0], tl.full((4, ), 2.5, tl.float32))
