"""What Triton says of a mistake, for scripts that match on it: the exception that is the cause of a CompilationError, of Triton's class
and with its words. Mistakes that are not listed have a cause with our own words."""

import re

_TYPES = {"integer": "int", "string": "str", "float": "float"}


def _type_of(operand):
    found = re.match(r"the (\w+) ", operand)
    return _TYPES.get(found[1], found[1]) if found else operand


def _name(dtype):
    """A dtype as Triton writes it: 'fp32'."""
    return re.sub(r"^b?float(\d+)$", lambda found: ("bf" if dtype.startswith("b") else "fp") + found[1], dtype)


def _operands(found):
    return f"unsupported operand type(s) for {found[1]}: '{_type_of(found[2])}' and '{_type_of(found[3])}'"


# What our message begins with, Triton's class, and its words.
_WORDS = (
    (r"unknown name '(\w+)'", NameError, lambda f: f"{f[1]} is not defined"),
    (r"global variable '(\w+)' is not a tl\.constexpr", NameError,
     lambda f: f"Cannot access global variable {f[1]} from within @jit'ed function. Triton kernels can only access global variables that are "
               "instanstiated as constexpr (`x = triton.language.constexpr(42)`)."),
    (r"'(.+)' has no name '(\w+)'", AttributeError, lambda f: f"module '{f[1]}' has no attribute '{f[2]}'"),
    (r"operator '(.+)' does not apply to (.+) and (.+)", TypeError, _operands),
    (r"tl\.(\w+): '\w+' must be a tensor or a number, but it is None", TypeError, lambda f: "cannot convert None of type <class 'NoneType'> to tensor"),
    (r"tl\.dot: the inner dimension is \d+, but \w+ operands need at least (\d+)", AssertionError,
     lambda f: f"Input shapes should have M >= 1, N >= 1 and K >= {f[1]}"),
    (r"tl\.dot: 'max_num_imprecise_acc' is (\d+), more than the inner dimension, (\d+)", ValueError,
     lambda f: f"max_num_imprecise_acc ({f[1]}) must be <= K ({f[2]})"),
    (r"cannot broadcast shapes \[.*\] and \[.*\]: dimension (\d+) is (\d+) in one and (\d+)", ValueError,
     lambda f: f"Cannot make_shape_compatible: incompatible dimensions at index {f[1]}: {f[2]} and {f[3]}"),
    (r"'(\w+)' changes its type in this loop: it is (\w+) before and (\w+) after", AssertionError,
     lambda f: f"Loop-carried variable {f[1]} has initial type {_name(f[2])} but is re-assigned to {_name(f[3])} in loop! "
               "Please make sure that the type stays consistent."),
    (r"'(\w+)' differs in type after this run-time 'if': (\w+) in one arm and (\w+)", AssertionError,
     lambda f: f"Mismatched type for {f[1]} between then block ({_name(f[2])}) and else block ({_name(f[3])})"),
    (r"the return values of '\w+' differ in type: (.+?) and (.+?);", TypeError, lambda f: f"Inconsistent return types: {f[1]} and {f[2]}"),
    (r"'(//|%|/)': .* of (\w+) and (\w+) mixes signedness", TypeError,
     lambda f: f"Cannot use /, #, or % with {f[2]} and {f[3]} because they have different signedness"),
    (r"'//': '//' needs integers, but got (\w+)", TypeError, lambda f: f"unexpected type {_name(f[1])}"),
)


def find(said):
    """The exception for our message, or None."""
    for pattern, kind, words in _WORDS:
        if found := re.match(pattern, said):
            return kind(words(found))
    return None
