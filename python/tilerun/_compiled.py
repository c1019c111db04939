"""torch.compile under `python -m tilerun --cpu`. The script's functions are traced with what a GPU would answer, but the parts of torch
that trace, differentiate and generate code see tensors where they are, on the CPU, for which Inductor generates Triton code that
the interpreter runs, and needs no compiler. Set up once a script compiles something, since these parts are large."""

import functools
import importlib
import types

_find_context = None


def is_compiling():
    """Whether torch compiles in this thread: what asks for a tensor's device then is torch."""
    return _find_context is not None and _find_context() is not None


def redirect_compile(torch, pretend):
    if not hasattr(torch, "compile"):
        return
    plain = torch.compile

    @functools.wraps(plain)
    def compile(*args, **kwargs):
        _set_up(torch, pretend)
        return plain(*args, **kwargs)

    torch.compile = compile


def _set_up(torch, pretend):
    global _find_context
    if _find_context is not None:
        return
    _find_context = importlib.import_module("torch._guards").CompileContext.try_get
    config = importlib.import_module("torch._inductor.config")
    # Workers would be processes without this setup.
    config.cpu_backend, config.compile_threads = "triton", 1
    _tell_dynamo(torch)
    if pretend:
        _answer_traced_code(torch)


def _answer_traced_code(torch):
    """What the traced function asks of its tensors; they count as the GPU's, as all that nobody knows to be the host's."""
    variables = importlib.import_module("torch._dynamo.variables")
    of_tensor, constant = importlib.import_module("torch._dynamo.variables.tensor").TensorVariable, variables.ConstantVariable
    here = torch.device("cuda", 0)
    is_on_cpu = lambda self: self.device is not None and self.device.type == "cpu"

    def answer(name, value):
        plain = getattr(of_tensor, name, None)
        if plain is not None:
            setattr(of_tensor, name, functools.wraps(plain)(
                lambda self, *args, **kwargs: constant.create(value) if is_on_cpu(self) else plain(self, *args, **kwargs)))

    answer("method_attr_device", here)
    answer("method_attr_is_cuda", True)


def _tell_dynamo(torch):
    """Dynamo knows torch's functions by their identity, and looks for them under one name each: those that are redirected under
    another name, and the plain ones that replacements call, are what these are."""
    rules = importlib.import_module("torch._dynamo.trace_rules").get_torch_obj_rule_map()
    by_plain = {}
    for function, rule in list(rules.items()):
        if (plain := find_plain(function)) is not function:
            by_plain[plain] = rule
    for space in (torch, torch.nn.functional, torch.fft, torch.linalg, torch.special):
        for function in list(vars(space).values()):
            if function.__class__ is types.FunctionType and (rule := by_plain.get(find_plain(function))) is not None:
                rules.setdefault(function, rule)
    for plain, rule in by_plain.items():
        rules.setdefault(plain, rule)
    in_graph = importlib.import_module("torch._dynamo.variables").TorchInGraphFunctionVariable
    for name in ("to", "cuda", "cpu", "type", "pin_memory"):
        rules.setdefault(getattr(torch.Tensor, name), in_graph)


def find_plain(function):
    """What a replacement replaces, or the function itself."""
    while function.__class__ is types.FunctionType and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function
