"""What Triton says of a mistake, for scripts that match on it: the exception that is the cause of a CompilationError, of Triton's class
and with its words. Mistakes that are not listed have a cause with our own words."""

import ast
import re

_TYPES = {"integer": "int", "string": "str", "float": "float"}


def _type_of(operand):
    found = re.match(r"the (\w+) ", operand)
    return _TYPES.get(found[1], found[1]) if found else operand


def _name(dtype):
    """A dtype as Triton writes it: 'fp32'."""
    return re.sub(r"^b?float(\d+)$", lambda found: ("bf" if dtype.startswith("b") else "fp") + found[1], dtype)


def _shape(dimensions):
    """A shape as Triton writes it: ['16', '16']."""
    return str(dimensions.split(", "))


def _type(said):
    """The type of a value of ours, such as int32[8, 4] or the integer 5, as Triton writes it."""
    if found := re.fullmatch(r"(\w+)\[(.+)\]", said):
        return f"<{_shape(found[2])}, {_name(found[1])}>"
    return re.sub(r"^the (\w+) .*", lambda found: {"integer": "int32", "float": "fp32"}.get(found[1], found[1]), _name(said))


def _operands(found):
    return f"unsupported operand type(s) for {found[1]}: '{_type_of(found[2])}' and '{_type_of(found[3])}'"


def _parse(marked):
    """The expression that the message marks; None if it is not a whole one."""
    try:
        return ast.parse(marked.strip(), mode="eval").body
    except SyntaxError:
        return None


def _element(marked, is_wrong):
    """' 1' where the second number of the shape or of the values in the source is the first wrong one; nothing where names hide them."""
    expression = _parse(marked)
    sequences = [node.elts for node in ast.walk(expression) if isinstance(node, (ast.Tuple, ast.List))] if expression else []
    for i, element in enumerate(sequences[0] if sequences else ()):
        if not isinstance(element, ast.Constant):
            break
        if is_wrong(element.value):
            return f" {i}"
    return ""


def _size(found):
    if re.match(r"(?:\w+\.)*arange\(", found[2]):
        return "arange's range must be a power of 2"
    return f"Shape element{_element(found[2], lambda value: value == int(found[1]))} must be a power of 2"


def _index(marked):
    """The text of the index in `x[index]`."""
    expression = _parse(marked)
    return ast.unparse(expression.slice) if isinstance(expression, ast.Subscript) else marked


# What our message begins with, which the marked source follows in a line of its own, Triton's class, and its words.
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
    (r"tl\.atomic_cas: 'pointer' points to \w+, but", ValueError, lambda f: "atomic_cas only supports elements with width {16, 32, 64}"),
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
    (r"'(.{1,3})': (?:bitwise operation|shift) needs integers, but got (\w+) and (\w+)", TypeError,
     lambda f: f"invalid operands of type {_name(f[2])} and {_name(f[3])}"),
    (r"operator '(?:<<|>>|&|\||\^)' needs integers", TypeError, lambda f: "invalid operands of type float"),
    (r"'return' in a run-time loop goes beyond Triton", ValueError, lambda f: "Cannot have `return` statements inside `while` or `for` statements in triton"),
    (r"(?:this slice of a dimension of \d+ takes no positions|an? (?:slice of|index into) a tensor goes beyond Triton).*\n(.*)", ValueError,
     lambda f: f"unsupported tensor index: {_index(f[1])}"),
    (r"a size of (\d+), not a power of two, goes beyond Triton.*\n(.*)", ValueError, _size),
    (r"tl\.expand_dims: 'axis' is (-?\d+), but", ValueError, lambda f: f"invalid axis {f[1]}"),
    (r"tl\.expand_dims: 'axis' names dimension (\d+) twice", ValueError, lambda f: f"expand_dims received duplicate axes, normalized axes = [{f[1]}, {f[1]}]"),
    (r"tl\.\w+: 'axis' is (-?\d+), but the tensor has (\d+) dimensions?", ValueError,
     lambda f: f"invalid axis {f[1]}. Expected -{f[2]} <= axis < {f[2]}"),
    (r"tl\.permute: 'dims' is \[(.*)\], which does not name each of the (\d+) dim", ValueError,
     lambda f: "permute dims must have the same length as input shape" if f[1].count(",") + 1 != int(f[2]) else
     f"permute dims must be a permutation of 0, 1, ..., n-1, but were [{f[1]}]"),
    (r"(tl\.(?:load|store)): 'pointer' must be a pointer or a tensor of pointers, but it is (.+?)(?:;|$)", ValueError,
     lambda f: f"Unsupported ptr type {_type(f[2])} in `{f[1]}`"),
    (r"tl\.(?:load|store): 'boundary_check' is for block pointers", ValueError,
     lambda f: "`padding_option` or `boundary_check` argument is not supported for loading a tensor of pointers or loading a scalar"),
    (r"tl\.dot: inner dimensions differ: \[(.*?)\] and \[(.*?)\]", AssertionError,
     lambda f: f"First input shape ({_shape(f[1])}) and second input shape {_shape(f[2])} are not compatible for matmul"),
    (r"tl\.dot: operands have different dtypes: (\w+) and (\w+)", AssertionError,
     lambda f: f"Both operands must be same dtype. Got {_name(f[1])} and {_name(f[2])}"),
    (r"tl\.dot: needs two tensors with the same number of dimensions", AssertionError,
     lambda f: "Both inputs must be either 2D or 3D"),
    (r"tl\.dot: 'input_precision' is '(.*?)'", ValueError, lambda f: "input_precision must be one of {'tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6'}. Got " + f[1]),
    (r"tl\.histogram: 'input' must have one dimension", AssertionError, lambda f: "histogram only supports 1D input"),
    (r"tl\.gather: 'index' must have the rank of 'src'", AssertionError, lambda f: "source and index tensors must have the same rank"),
    (r"tl\.full: the fill value must be one number", AssertionError, lambda f: "only accepts size-1 tensors"),
    (r"tl\.make_block_ptr: 'order' is .*, but must name each", ValueError, lambda f: "Expected 'order' to be a permutation of (0, 1, ..., len(order)-1)"),
    (r"tl\.make_block_ptr: '\w+' has \d+ entries, but the block has", ValueError,
     lambda f: "Expected shape/strides/offsets/block_shape to have the same length"),
    (r"tl\.make_block_ptr: 'base' must be one pointer", ValueError, lambda f: "Expected `base` to be a pointer type (but not a block pointer type or others)"),
    (r"tl\.(multiple_of|max_contiguous|max_constancy): 'values' must hold integers.*\n(.*)", TypeError,
     lambda f: f"values element{_element(f[2], lambda value: not isinstance(value, int))} must have type `constexpr[int]`"),
    (r"tl\.(multiple_of|max_contiguous|max_constancy): 'values' has \d+ entries", ValueError,
     lambda f: f"Shape of input to {f[1]} does not match the length of values"),
    (r"fp_downcast_rounding is for conversions to a narrower float", ValueError,
     lambda f: "fp_downcast_rounding should be set only for truncating fp conversions"),
    (r"tl\.(?:sort|topk): 'dim' is \d+, but only the last", AssertionError, lambda f: "only minor dimension is currently supported"),
    (r"the condition of \w+ must be one value", ValueError, lambda f: "Boolean value of Tensor with more than one value is ambiguous"),
)


def find(said, marked=""):
    """The exception for our message and the source that it marks, or None."""
    for pattern, kind, words in _WORDS:
        if found := re.match(pattern, f"{said}\n{marked}", re.MULTILINE):
            return kind(words(found))
    return None
