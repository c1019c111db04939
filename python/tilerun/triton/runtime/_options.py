"""Options of launches and of `triton.compile`: names, checks of their values, and the form in which the library takes them."""

from ... import _memory
from .. import knobs
from ...errors import InvalidArgumentError, WarpsError
from ._values import unwrap

# Launch options that the library knows, with their defaults (0: the library's).
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug")
# Triton's for AMD GPUs, with their names there: accepted everywhere, used by those.
AMD_OPTIONS = {"waves_per_eu": "waves-per-eu", "matrix_instr_nonkdim": "matrix-instr-nonkdim", "kpack": "kpack"}
# Choices that change the code: launches and measurements of the tuner take both.
CODE_OPTIONS = ("enable_fp_fusion", "sanitize_overflow")
# Those of other compilers and targets: accepted everywhere, used nowhere.
IGNORED_OPTIONS = frozenset((
    "allow_fp8e4nv", "allowed_dot_input_precisions", "arch", "backend_name", "default_dot_input_precision",
    "enable_reflect_ftz", "extern_libs", "grid", "instrumentation_mode",
    "launch_cooperative_grid", "maxRegAutoWS", "max_num_imprecise_acc_default",
    "minRegAutoWS", "num_buffers_warp_spec", "num_consumer_groups", "optimize_epilogue", "pingpongAutoWS", "ptx_options",
    "ptx_version", "reg_dec_producer", "reg_inc_consumer", "sanitize_overflow", "schedule_hint",
    "supported_fp8_dtypes", "warmup"))


def read_option(kernel, name, value):
    """A number of OPTIONS or AMD_OPTIONS, 0 for the library's own."""

    def fail(what, kind):
        raise kind(f"kernel '{kernel}': {name} is {what}")

    value = unwrap(value)
    if value is None:
        return 0
    if not isinstance(value, int):
        fail(f"{_memory.show(value)}, which is not an integer", TypeError)
    if value >= 1 << 32:
        fail(f"{value if value < 1 << 64 else 'a larger number'}, which is out of range", InvalidArgumentError)
    if value < 0 or (value == 0 and name in ("num_warps", "num_ctas")):
        fail(f"{value}; it must be positive", WarpsError if name == "num_warps" else InvalidArgumentError)
    return max(value, 1) if name == "num_stages" else int(bool(value)) if name == "debug" else int(value)


def read_target_options(given):
    """A dict of the target's own options as pairs of texts; true and false are its truth values."""
    if not isinstance(given, (dict, type(None))):
        raise TypeError(f"options is {_memory.show(given)}, which is not a dict")
    pairs = []
    for name, value in (given or {}).items():
        if not isinstance(name, str) or not isinstance(value, (str, int)):
            raise TypeError(f"options has {_memory.show(name)}: {_memory.show(value)}; a name with a text, an integer or a "
                            "bool is expected")
        pairs.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return tuple(pairs)


def make_cache_key(signature, options):
    """Of a compiled kernel in `device_caches`, which hooks are told, too."""
    return signature + str(options)


def leave_out_overflow(debug):
    """The option `debug` for a kernel whose integers wrap, with assertions if it has them."""
    return 2 if debug else 0


def pack_options(options, checks=0, kind=None):
    """In the form that the library takes, for a device of a kind."""
    own = options.get("options") or ()
    if not options.get("enable_fp_fusion", True) and all(name != "fp-fusion" for name, _ in own):
        own = (("fp-fusion", "false"), ) + own
    if knobs.compilation.disable_line_info and all(name != "line-info" for name, _ in own):
        own += (("line-info", "false"), )
    if kind == _memory.ROCM:
        given = dict(own)
        own = tuple((name, str(options[option])) for option, name in AMD_OPTIONS.items()
                    if options.get(option) and name not in given) + own
    return tuple(options[name] for name in OPTIONS) + (checks, ) + ((own, ) if own else ())
