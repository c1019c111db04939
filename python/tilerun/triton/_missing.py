"""Names of Triton 3.6's public package that are missing here, each with its reason: one table for
the messages, the tests and docs/python.md. Using such a name (an attribute, an import) is an error
that says why; `hasattr` is False."""

import opcode
import sys

_COMPILER = "a part of Triton's own compiler; kernels are compiled by the library here"
_CACHE = "compiled kernels are kept by the library (docs/caching.md); a class for TRITON_REMOTE_CACHE_BACKEND is the framework's own"
_KNOBS = "how Triton reads its environment; the settings of triton.knobs are plain attributes here"
_DRIVER = "a part of Triton's own drivers; devices are served by plugins here, and triton.runtime.driver.active asks them"
_TYPE = "a base class of values in Triton's own compiler; only kernels have such values"
_BUILTIN = "for functions that emit IR of Triton's own compiler; write a @triton.jit function"
_PROFILER = "triton.profiler counts and times whole launches, and does not look inside them"
_EXTERN = "it links a function of a bitcode library, which Tilerun does not have; triton.language.extra.libdevice has the usual ones"


def _all(names, reason):
    return dict.fromkeys(names.split(), reason)


# By module, as Triton names it.
NAMES = {
    "triton.language": {
        **_all("check_bit_width binary_op_type_legalization sort_impl "
               "is_negative_zero builtin_max builtin_min", _BUILTIN),
        **_all("base_value base_type tuple_type slice_type tensor_descriptor_base tensor_descriptor_base_type "
               "tensor_descriptor_type", _TYPE),
        **_all("extern extern_elementwise dispatch", _EXTERN),
    },
    "triton.runtime": _all("RedisRemoteCacheBackend", _CACHE),
    "triton.runtime.jit": _all("DependenciesFinder serialize_specialization_data compute_cache_key "
                               "create_function_from_signature get_full_name BoundConstexprFunction "
                               "convert_to_tuple_if_list TRITON_MODULE GLUON_MODULE", _COMPILER),
    "triton.runtime.cache": _all("RedisRemoteCacheBackend make_so_cache_key get_cache_key", _CACHE),
    "triton.runtime._allocation": _all("Buffer Allocator NullAllocator",
                                       "kernels need no scratch memory here, so that no allocator is ever called"),
    "triton.compiler": _all("LazyDict get_cache_key", _COMPILER),
    "triton.compiler.compiler": _all("LazyDict AsmDict CompileTimer parse filter_traceback max_shared_mem "
                                     "convert_type_repr ptx_prototype_pattern prototype_pattern ptx_arg_type_pattern "
                                     "arg_type_pattern get_cache_key", _COMPILER),
    "triton.knobs": _all("setenv toenv getenv SetType GetType EnvType ClassType env_base env_nvidia_tool NvidiaTool "
                         "CompilationListener knobs_type BuildImpl build_knobs "
                         "redis_knobs cache_knobs compilation_knobs autotuning_knobs runtime_knobs language_knobs "
                         "nvidia_knobs amd_knobs proton_knobs KernelAttr JITHookCompileInfo JITHook "
                         "LaunchHook InitHandleHook PipelineStagesHook", _KNOBS),
    "triton.backends.compiler": _all("Language", _COMPILER),
    "triton.runtime.interpreter": _all(
        "ASTTransformer BlockPointerHandle ExtraFunctions FunctionRewriter GridExecutor InterpreterBuilder InterpreterOptions "
        "ReduceOps ReduceScanOpInterface ScanOps TensorDescHandle TensorHandle interpreter_builder interpreter_semantic "
        "np_erf_fp32 np_erf_fp64 np_umulhi_u64", "TRITON_INTERPRET=1 runs kernels on the library's own interpreter"),
    "triton.tools.disasm": _all("BRA_RE FLINE_RE FNAME_RE SLINE_RE parseCtrl processSassLines", "a part of how Triton reads the tools' text"),
    "triton.tools.link": _all("HeaderParser KernelLinkerMeta gen_signature gen_signature_with_full_args make_algo_decls "
                              "make_default_algo_kernel make_func_pointers make_get_num_algos_decl make_get_num_algos_def "
                              "make_global_decl make_kernel_hints_dispatcher make_kernel_load_def make_kernel_meta_const_dispatcher",
                              "a part of Triton's own linker; link(headers, out, prefix) writes the files"),
    "triton._utils": _all("BITWIDTH_DICT TRITON_MAX_TENSOR_NUMEL canonicalize_dtype canonicalize_ptr_dtype "
                          "get_primitive_bitwidth is_namedtuple is_power_of_two set_iterable_path type_canonicalisation_dict "
                          "validate_block_shape", _COMPILER),
}

# Whole modules, with everything below them.
MODULES = {
    "triton.backends.amd": _DRIVER,
    "triton.backends.driver": _DRIVER,
    "triton.backends.nvidia": _DRIVER,
    "triton.compiler.code_generator": _COMPILER,
    "triton.instrumentation": _COMPILER,
    "triton.language.semantic": _COMPILER,
    "triton.profiler.hooks": _PROFILER,
    "triton.profiler.language": _PROFILER,
    "triton.profiler.mode": _PROFILER,
    "triton.profiler.proton": _PROFILER,
    "triton.runtime.build": "nothing is built at run time here",
    "triton.tools.build_extern": _EXTERN,
    "triton.tools.ragged_tma": "its descriptors rely on addresses that wrap around; make a descriptor for each part",
    "triton.tools.triton_to_gluon_translater": "Gluon's kernels state layouts by hand, for Triton's own compiler",
}


def find_module(name):
    """Why there is no module of this name, or None."""
    while name:
        if name in MODULES:
            return MODULES[name]
        name = name.rpartition(".")[0]
    return None


def explain(module, find=None):
    """A `__getattr__` of a module (named as here), which says why a name of Triton's is not there. `find(name)` is asked
    before: it gives an object or None."""
    path = module.removeprefix("tilerun.")
    table = NAMES.get(path, {})

    def getattr_(name):
        found = find(name) if find else None
        if found is not None:
            return found
        reason = table.get(name)
        text = f"'{path}.{name}' is not in Tilerun: {reason}" if reason else f"module '{path}' has no attribute '{name}'"
        # An import statement would put a message of its own in the place of an AttributeError's.
        frame = sys._getframe(1)
        code, at = frame.f_code.co_code, frame.f_lasti
        if reason and at >= 0 and opcode.opname[code[at]] == "IMPORT_FROM":
            raise ImportError(text, name=path)
        raise AttributeError(text, name=name)

    return getattr_
