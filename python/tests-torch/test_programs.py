"""Programs compiled by Inductor to Triton code, each equal to eager (programs.py)."""

import pytest
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from programs import PROGRAMS

ROWS = [pytest.param(*row, id=row[0].__name__) for row in PROGRAMS]


@pytest.mark.parametrize("function, make, options", ROWS)
def test_program(compare, function, make, options):
    compare(function, [one() for one in make], **options)


class DevicesAreNamed(TorchFunctionMode):
    """Refuses to create tensors without saying where."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        assert function not in _device_constructors() or "device" in (kwargs or {}), f"torch.{function.__name__} names no device"
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("function, make, options", ROWS)
def test_devices_are_named(function, make, options):
    """So that the programs compile for a device that is torch's default (bench/gpu/torch_compile.py)."""
    arguments = [one() for one in make]
    with DevicesAreNamed():
        function(*arguments)
