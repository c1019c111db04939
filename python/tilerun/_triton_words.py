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
    (r"tl\.\w+: 'block_shape' is \[(?:.*, )?(\d+)\], whose last dimension has (\d+) byte", ValueError,
     lambda f: f"Descriptor block shape must have at least 16 bytes in the last dimension, but got {f[1]} * {int(f[2]) // int(f[1])} = {f[2]} bytes"),
    (r"tl\.\w+: 'sem' is '(\w*)'", ValueError, lambda f: f"Memory semantic {f[1]} not supported"),
    (r"tl\.(atomic_\w+): 'pointer' points to (\w+), but", ValueError, lambda f: f"{f[1]} does not support {_name(f[2])}"),
    (r"tl\.\w+: 'cache_modifier' is '(.*?)'", ValueError, lambda f: f"Cache modifier {f[1]} not supported"),
    (r"tl\.\w+: 'eviction_policy' is '(.*?)'", ValueError, lambda f: f"Eviction policy {f[1]} not supported"),
    (r"tl\.load: 'other' has no effect without 'mask'", ValueError, lambda f: "`other` cannot be provided without `mask`"),
    (r"tl\.\w+: 'mask' is .+, but the pointer is a scalar", ValueError, lambda f: "Mask argument cannot be block type if pointer argument is not a block"),
    (r"tl\.store: 'value' has shape .+, which does not broadcast to a single pointer", ValueError,
     lambda f: "Value argument cannot be block type if pointer argument is not a block"),
    (r"tl\.\w+: 'pointer' is a pointer<const .*, through which nothing may be written", ValueError, lambda f: "Cannot store to a constant pointer"),
    (r"tl\.reshape: cannot give", ValueError, lambda f: "reshape() cannot change total number of elements in tensor"),
    (r"tl\.trans: .* transposition needs two dimensions", ValueError, lambda f: "tl.trans invoked with a 0- or 1-dimensional tensor"),
    (r"cannot bitcast \w+ \((\d+) bits\) to \w+ \((\d+) bits\)", ValueError, lambda f: f"Cannot bitcast data-type of size {f[1]} to data-type of size {f[2]}"),
    (r"tl\.histogram: 'input' must hold integers", AssertionError, lambda f: "histogram only supports integer input"),
    (r"tl\.gather: 'index' must hold integers", AssertionError, lambda f: "index must be an integer tensor"),
    (r"tl\.(program_id|num_programs): 'axis' must be 0 to 2, but it is (-?\d+)", ValueError, lambda f: f"{f[1]} axis must be 0, 1, or 2 but got {f[2]}"),
    (r"'//': '//' needs integers, but got (\w+)", TypeError, lambda f: f"unexpected type {_name(f[1])}"),
)


def find(said):
    """The exception for our message, or None."""
    for pattern, kind, words in _WORDS:
        if found := re.match(pattern, said):
            return kind(words(found))
    return None
