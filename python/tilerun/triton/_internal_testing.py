"""What test suites of packages that are written for Triton take from the tests of Triton's own: which device is there, random arrays of every
dtype, and their way to the device and back. Its names are Triton's; pytest is needed for `requires_tma` and `_fresh_knobs_impl` alone."""

import os
import pickle
import traceback

from . import knobs, runtime
from . import language as tl
from .runtime.driver import driver
from .runtime.jit import reinterpret, TensorWrapper

int_dtypes = [f"int{bits}" for bits in (8, 16, 32, 64)]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes_with_bfloat16]
tma_dtypes = sorted(name for name in dtypes_with_bfloat16 if not name.endswith("64"))


# -- The device


def is_interpreter():
    """Whether the tests are to run on Triton's interpreter: as there, TRITON_INTERPRET says so."""
    return bool(knobs.runtime.interpret)


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def _is_of(backend, *architectures):
    target = get_current_target()
    return target is not None and target.backend == backend and (not architectures or any(name in str(target.arch) for name in architectures))


def _capability():
    """Of an NVIDIA GPU: 9 for sm_90; 0 for other devices."""
    return int(get_current_target().arch) // 10 if _is_of("cuda") else 0


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def is_cuda():
    return _is_of("cuda")


def is_hip():
    return _is_of("hip")


def is_xpu():
    return _is_of("xpu")


def is_ampere_or_newer():
    return _capability() >= 8


def is_hopper():
    return _capability() == 9


def is_hopper_or_newer():
    return _capability() >= 9


def is_blackwell():
    return _capability() == 10


def is_sm12x():
    return _capability() == 12


def is_hip_cdna2():
    return _is_of("hip", "gfx90a")


def is_hip_cdna3():
    return _is_of("hip", "gfx942")


def is_hip_cdna4():
    return _is_of("hip", "gfx950")


def is_hip_cdna():
    return _is_of("hip", "gfx90a", "gfx942", "gfx950")


def is_hip_gfx11():
    return _is_of("hip", "gfx11")


def is_hip_gfx12():
    return _is_of("hip", "gfx12")


def is_hip_gfx1250():
    return _is_of("hip", "gfx1250")


def get_hip_lds_size():
    """Bytes of shared memory of a program."""
    return (160 if is_hip_cdna4() else 64) << 10


def supports_tma(byval_only=False):
    """Whether tests of descriptors are to run: where Triton's do, although descriptors work on every device here."""
    return is_interpreter() or is_hopper_or_newer()


def supports_ws():
    return supports_tma()


def tma_skip_msg(byval_only=False):
    return "descriptors are tested on GPUs that copy boxes of tensors (sm_90 and later)"


# -- Arrays


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """A random array without zeros among integers. bfloat16 comes as the float32 of the same value, 8-bit floats as int8."""
    import numpy as np
    rs = np.random.RandomState(17) if rs is None else rs
    shape = (shape, ) if isinstance(shape, int) else shape
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        least = limits.min if low is None else max(low, limits.min)
        end = limits.max if high is None else min(high, limits.max)
        values = rs.randint(least, end, shape, dtype=dtype_str)
        return np.where(values == 0, np.ones_like(values), values)
    if dtype_str in float_dtypes:
        return rs.standard_normal(shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = np.asarray(rs.standard_normal(shape), np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.standard_normal(shape) > 0
    if "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    raise RuntimeError(f"no random arrays of dtype '{dtype_str}'")


def to_triton(x, device, dst_type=None):
    """An array as a tensor of a device, `dst_type` for bfloat16 and 8-bit floats that numpy lacks."""
    import torch
    name = x.dtype.name
    if name in uint_dtypes:  # Of which older versions of torch have one.
        return reinterpret(torch.tensor(x.view(name[1:]), device=device), getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if dst_type == "bfloat16" and name == "float32" else tensor


def to_numpy(x):
    tensor = unwrap_tensor(x)
    if not hasattr(tensor, "cpu"):
        raise ValueError(f"{x!r} is not a tensor")
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    array = tensor.cpu().numpy()
    return array.astype(torch_dtype_name(x.dtype)) if isinstance(x, TensorWrapper) else array


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def str_to_triton_dtype(x):
    return tl.int1 if x == "bool" else {"float8_e4m3fn": tl.float8e4nv, "float8_e5m2": tl.float8e5}.get(x) or getattr(tl, x)


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name if dtype.name in dtypes else next(name for name in dtypes_with_bfloat16 if getattr(tl, name) == dtype)
    kind, _, name = str(dtype).rpartition(".")
    if kind != "torch":
        raise TypeError(f"{dtype!r} is not a dtype of triton or torch")
    return name


def default_alloc_fn(size, align, stream):
    import torch
    return torch.empty(size, dtype=torch.int8, device="cuda")


# -- Processes and settings


class ChildResult:
    """What a function that ran in a process of its own gave: `exc`, or None, and what it wrote."""

    def __init__(self, exc, driver_stderr_output=""):
        self.exc, self.driver_stderr_output = exc, driver_stderr_output


def _describe(error):
    """(the exception as bytes, or None if it cannot be one; its text)."""
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        return pickle.dumps(error), text
    except Exception:  # noqa: B902 - whatever the exception's own code raises.
        return None, text


def _restore(data, text):
    """The exception, or a RuntimeError with its text where this process cannot make it: of a class in a function, or of the script,
    or whose `__init__` takes other arguments than it passed on."""
    try:
        error = None if data is None else pickle.loads(data)
    except Exception:  # noqa: B902
        error = None
    return error if isinstance(error, BaseException) else RuntimeError(f"the child raised what cannot be passed on:\n{text}")


def _run_child(sender, function, args, env):
    os.environ.update(env)
    try:
        function(*args)
        sender.send(None)
    except BaseException as error:  # noqa: B036 - the parent raises it, or looks at it.
        sender.send(_describe(error))


def run_in_process(client_fn, args=(), env=None):
    """Runs a function in a child, which an assertion of a GPU may cost its device."""
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_run_child, args=(sender, client_fn, args, env or {}))
    child.start()
    sender.close()
    try:
        told = receiver.recv()
        error = None if told is None else _restore(*told)
    except EOFError:
        error = RuntimeError("the child ended without a word")
    child.join()
    return ChildResult(error)


def _fresh_knobs_impl(skipped_attr=None):
    """(a function that gives triton.knobs with all settings at their defaults and without their variables, one that undoes it)."""
    import pytest
    patch = pytest.MonkeyPatch()
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())}
    propagates = knobs.propagate_env
    before = dict(os.environ)

    def fresh():
        for name, group in groups.items():
            for default in group._defaults.values():
                if variable := getattr(default, "variable", None):
                    patch.delenv(variable, raising=False)
            patch.setattr(knobs, name, group.copy().reset())
        knobs.propagate_env = True
        knobs._refresh()  # Whether launches have hooks is what the groups here now say.
        return knobs

    def undo():
        patch.undo()
        for key in [key for key in os.environ if key not in before]:
            del os.environ[key]
        os.environ.update({key: value for key, value in before.items() if os.environ.get(key) != value})
        knobs.propagate_env = propagates
        knobs._refresh()

    return fresh, undo


def __getattr__(name):
    if name == "requires_tma":
        import pytest
        return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())
    raise AttributeError(f"module 'triton._internal_testing' has no attribute '{name}'", name=name)
