"""`triton.tools.mxfp`: tensors in the microscaling formats of the Open Compute Project's specification 1.0, as torch
tensors of codes: elements of four bits (e2m1), and scales that are powers of two (e8m0)."""

# The magnitudes of e2m1 by code, and the midpoints to the next one.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_NAN_SCALE = 255


def _check_size(size):
    return (size, ) if isinstance(size, int) else tuple(size)


class _ConversionError(TypeError, AssertionError):
    """Codes convert to float32 alone."""


class _Codes:
    """Codes of one byte each, of given numbers or to be filled at random."""

    def __init__(self, data=None, size=None, device=None):
        import torch
        self.device = device if device is not None or data is None else data.device
        if data is not None:
            if not isinstance(data, torch.Tensor):
                raise TypeError(f"data is a torch tensor, not {data!r}")
            self.data = self._from_float(data.to(self.device))
        elif size is not None:
            self.size = _check_size(size)
        else:
            raise ValueError(f"{type(self).__name__} takes data or a size")


class MXFP4Tensor(_Codes):
    """Numbers of four bits, one code (sign, exponent, mantissa) in each byte of `data`."""

    def random(self):
        """Codes at random; all of them are numbers."""
        import torch
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        """The values in float32, which has all of them."""
        import torch
        if dtype != torch.float32:
            raise _ConversionError(f"an MXFP4Tensor converts to float32, not to {dtype}")
        table = torch.tensor(_MAGNITUDES + tuple(-m for m in _MAGNITUDES), dtype=torch.float32, device=self.data.device)
        return table[self.data.long()]

    def _from_float(self, values):
        """The nearest codes, ties to the even one; values that are too large, and NaN, become the
        largest."""
        import torch
        magnitude = values.abs().float()
        code = torch.zeros(values.shape, dtype=torch.uint8, device=values.device)
        for i, (low, high) in enumerate(zip(_MAGNITUDES, _MAGNITUDES[1:])):
            middle = (low + high) / 2
            # Odd codes leave a tie to the even one above.
            code += (magnitude >= middle if i % 2 else magnitude > middle).to(torch.uint8)
        code[values.isnan()] = 7
        return code | (values.signbit().to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Two codes in each byte along `dim`, the first one in the low bits; an odd size is filled up with zero."""
        import torch
        data = self.data
        dim = dim % data.ndim
        if data.shape[dim] % 2:
            shape = list(data.shape)
            shape[dim] = 1
            data = torch.cat([data, torch.zeros(shape, dtype=torch.uint8, device=data.device)], dim)
        pairs = data.unflatten(dim, (data.shape[dim] // 2, 2))
        return pairs.select(dim + 1, 0) | pairs.select(dim + 1, 1) << 4

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The codes that `to_packed_tensor` packed."""
        import torch
        dim = dim % packed_tensor.ndim
        pairs = torch.stack([packed_tensor & 15, packed_tensor >> 4], dim + 1).flatten(dim, dim + 1)
        return pairs.narrow(dim, 0, original_shape[dim])


class MXScaleTensor(_Codes):
    """Powers of two, 2^(code - 127), one in each byte of `data`; 255 is NaN."""

    def random(self, low=None, high=None):
        """Codes at random, of scales from `low` to `high` (all of them without)."""
        import math
        import torch
        first = 0 if low is None else max(0, 127 + math.trunc(math.log2(low)))
        last = 254 if high is None else min(254, 127 + math.trunc(math.log2(high)))
        if first > last:
            raise ValueError(f"no scale lies between {low} and {high}")
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        """The values in float32."""
        import torch
        if dtype != torch.float32:
            raise _ConversionError(f"an MXScaleTensor converts to float32, not to {dtype}")
        values = torch.ldexp(torch.ones(self.data.shape, device=self.data.device), self.data.to(torch.int32) - 127)
        return torch.where(self.data == _NAN_SCALE, torch.nan, values)

    def _from_float(self, values):
        """The largest scales that are not larger; NaN for invalid ones (zero, negative, infinite, NaN)."""
        import torch
        values = values.float()
        code = torch.frexp(values).exponent.add(126)  # Of a half or more, and less than 1.
        fits = values.isfinite() & (values > 0)
        return torch.where(fits, code.clamp(0, 254), _NAN_SCALE).to(torch.uint8)
