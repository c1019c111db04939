"""Shapes, broadcasting and parts of tensors."""

import triton
import triton.language as tl


#: Z->i32[3,4,5,6]
@triton.jit
def arange(Z):
    """S1: The bounds of `tl.arange` are known at compile time, the second is larger than the first, and both fit in
    `int32`.
    """
    x = tl.arange(3, 7)
    tl.static_assert(x.dtype == tl.int32)
    tl.store(Z + tl.arange(0, 4), x)


#: Z->i32[-2,-1] beyond
@triton.jit
def arange_below_zero(Z):
    """S1: The bounds of `tl.arange` are known at compile time"""
    tl.store(Z + tl.arange(0, 2), tl.arange(-2, 0))


#: n=4 refused
@triton.jit
def arange_of_run_time_bounds(n):
    """S1: The bounds of `tl.arange` are known at compile time"""
    # error: tl.arange: 'end' must be an integer known at compile time, but it is int32; pass a tl.constexpr
    x = tl.arange(0, n)


#: refused
@triton.jit
def arange_of_nothing():
    """S1: the second is larger than the first"""
    # error: tl.arange: 'end' must be greater than 'start', but the range is [4, 4)
    x = tl.arange(4, 4)
    # error: tl.arange: 'end' must be greater than 'start', but the range is [4, 0)
    y = tl.arange(4, 0)


#: refused
@triton.jit
def arange_too_far():
    """S1: and both fit in `int32`."""
    # error: tl.arange: 'start' must be -2147483648 to 2147483647, but it is 4294967296
    x = tl.arange(4294967296, 4294967300)


#: Z->i32[1048575] warps=32 without=vulkan without=threads without=hip:gfx942
@triton.jit
def largest_tensor(Z):
    """S2: A tensor has at most 2^20 elements."""
    tl.store(Z, tl.max(tl.arange(0, 1048576), 0))


#: refused
@triton.jit
def too_large():
    """S2: A tensor has at most 2^20 elements."""
    # error: tl.arange: the range has 2097152 elements, more than 1048576; use smaller blocks
    x = tl.arange(0, 2097152)
    # error: tl.zeros: 'shape' is [2048, 1024], which is more than 1048576 elements; use smaller blocks
    y = tl.zeros((2048, 1024), tl.int8)
    # error: broadcasting [2048, 1] and [1, 1024] gives a tensor of more than 1048576 elements; use smaller blocks
    z = tl.arange(0, 2048)[:, None] + tl.arange(0, 1024)[None, :]


#: X=i32[1,2] Y=i32[10,20,30,40] Z->i32[11,21,31,41,12,22,32,42]
@triton.jit
def broadcasts(X, Y, Z):
    """S3: Operands broadcast to one shape: missing dimensions are added on the left, and sizes of 1 stretch."""
    i, j = tl.arange(0, 2), tl.arange(0, 4)
    z = tl.load(X + i)[:, None] + tl.load(Y + j)
    tl.static_assert(z.shape == (2, 4))
    tl.store(Z + i[:, None] * 4 + j, z)
    tl.static_assert((z[:, None, :] + z).shape == (2, 2, 4))
    tl.static_assert((tl.zeros((1, 4), tl.int32) + tl.zeros((2, 1), tl.int32)).shape == (2, 4))
    tl.static_assert((z + 1).shape == (2, 4))


#: refused
@triton.jit
def broadcast_mismatch():
    """S4: Sizes that differ and are not 1 are an error."""
    # error: cannot broadcast shapes [2] and [4]: dimension 0 is 2 in one and 4 in the other; sizes must be equal or 1
    a = tl.arange(0, 2) + tl.arange(0, 4)
    # error: cannot broadcast shapes [2] and [4]: dimension 0 is 2 in one and 4 in the other; sizes must be equal or 1
    b = tl.where(tl.arange(0, 2) > 0, tl.arange(0, 4), 0)


#: X=i32[1,2] Z->i32[1,1,1,1,2,2,2,2]
@triton.jit
def broadcast_to(X, Z):
    """S5: `tl.broadcast_to` needs a shape of equal rank."""
    x = tl.load(X + tl.arange(0, 2))[:, None]
    z = tl.broadcast_to(x, (2, 4))
    tl.static_assert(z.shape == (2, 4))
    tl.store(Z + tl.arange(0, 8), tl.reshape(z, (8, )))


#: refused
@triton.jit
def broadcast_to_another_rank():
    """S5: `tl.broadcast_to` needs a shape of equal rank."""
    # error: tl.broadcast_to: needs equal ranks, but got int32[4] and the shape [2, 4]; add dimensions with x[:, None] first
    a = tl.broadcast_to(tl.arange(0, 4), (2, 4))


#: Z->i32[0,1]
@triton.jit
def inserts_dimensions(Z):
    """S6: `x[:, None]` and its relatives insert dimensions of size 1, up to any rank."""
    x = tl.arange(0, 2)
    tl.static_assert(x[None, :].shape == (1, 2))
    tl.static_assert(x[:, None].shape == (2, 1))
    tl.static_assert(x[None, :, None].shape == (1, 2, 1))
    tl.static_assert(x[:, None, None, None].shape == (2, 1, 1, 1))
    tl.static_assert(x[None, :, None][:, :, None, :].shape == (1, 2, 1, 1))
    tl.static_assert(tl.expand_dims(x, (0, 2)).shape == (1, 2, 1))
    tl.store(Z + x, x)


#: X=i32[7,8] Z->i32[7,8] Y->i32[7,7,7,7]
@triton.jit
def surplus_slices(X, Z, Y):
    """S9: A `:` beyond the last dimension changes nothing, so that `x[:, None]` of one value has the shape `(1,)`."""
    one = tl.load(X)
    tl.static_assert(one[:, None].shape == (1, ))
    tl.static_assert(one[None, :].shape == (1, ))
    tl.static_assert(one[:].shape == ())
    tl.static_assert(one[:, None, None].shape == (1, 1))
    i = tl.arange(0, 2)
    x = tl.load(X + i)
    tl.static_assert(x[:, :].shape == (2, ))
    tl.static_assert(x[None, :, :].shape == (1, 2))
    tl.store(Z + i, x[:, :])
    tl.store(Y + tl.arange(0, 4)[:, None], one[:, None] + tl.zeros((4, 1), tl.int32))


#: X=i32[7,8] Z->i32[7] refused
@triton.jit
def surplus_indices(X, Z):
    """S9: A `:` beyond the last dimension changes nothing"""
    x = tl.load(X + tl.arange(0, 2))
    tl.store(Z, x[0, :])  # error: too many indices for int32[2]: 2 for 1 dimension


#: X=i32[0,1,2,3,4,5,6,7] Z->i32[5,4,7,6] Y->i32[2,3] n=2 W->i32[4,5] beyond
@triton.jit
def parts(X, Z, Y, n, W):
    """S7: Beyond Triton: slices with constant bounds (`x[2:4, ::-1]`) and indices (`x[i, :]`), known at compile time or
    not, take parts of tensors
    """
    x = tl.load(X + tl.arange(0, 8)).reshape(4, 2)
    i = tl.arange(0, 2)
    tl.store(Z + i[:, None] * 2 + i, x[2:4, ::-1])
    tl.store(Y + i, x[1, :])
    tl.store(W + i, x[n, :])


#: X=i32[0,1,2,3] n=7 Z->i32[0] beyond
@triton.jit
def parts_outside(X, n, Z):
    """S7: outside the tensor the value is undefined."""
    x = tl.load(X + tl.arange(0, 4))
    inside = n < 4
    tl.store(Z, tl.where(inside, x[n], 0))


#: X=i32[1,2,3,4] Z->i32[1,2,3,4,1,2,3,4] Y->i32[1,2,1,2,3,4,3,4] W->i32[1,3,2,4] beyond
@triton.jit
def more_forms(X, Z, Y, W):
    """S10: Beyond Triton: `tl.cat` keeps the order of elements and takes tensors of several dimensions, `tl.permute` and
    `tl.trans` count negative dimensions from the end, `tl.reshape` computes a size of -1, and `...` in an index
    stands for dimensions that are not named.
    """
    i = tl.arange(0, 4)
    x = tl.load(X + i)
    tl.store(Z + tl.arange(0, 8), tl.cat(x, x))
    square = x.reshape(2, -1)
    tl.store(Y + tl.arange(0, 8), tl.cat(square, square, can_reorder=True, dim=1).reshape(8))
    tl.static_assert(tl.permute(square[None, :], -1, 0, 1).shape == (2, 1, 2))
    tl.store(W + i, tl.trans(square, -1, 0).reshape(4))
    tl.static_assert(square[..., None].shape == (2, 2, 1))


#: X=i32[5] Z->i32[5]
@triton.jit
def scalar_of_one_element(X, Z):
    """S6: up to any rank."""
    one = tl.load(X + tl.arange(0, 1))
    tl.static_assert(tl.reshape(one[None, :], ()).shape == ())
    tl.store(Z, tl.reshape(one[None, :], ()))
