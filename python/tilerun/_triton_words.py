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
    return re.sub(r"^b?float(\d+\w*)$", lambda found: ("bf" if dtype.startswith("b") else "fp") + found[1], dtype)


def _shape(dimensions):
    """A shape as Triton writes it: ['16', '16']."""
    return str(dimensions.split(", "))


def _type(said):
    """The type of a value of ours, such as int32[8, 4] or the integer 5, as Triton writes it."""
    if found := re.fullmatch(r"(\w+)\[(.+)\]", said):
        return f"<{_shape(found[2])}, {_name(found[1])}>"
    return re.sub(r"^the (\w+) .*", lambda found: {"integer": "int32", "float": "fp32"}.get(found[1], found[1]), _name(said))


def _repr(said):
    """A type as the repr of Triton's types: triton.language.float32, pointer<fp32>, <['8'], fp32>."""
    if found := re.fullmatch(r"pointer<(.+)>", said):
        return f"pointer<{_name(found[1])}>"
    kind = _type(said)
    return kind if kind.startswith("<") else "triton.language." + re.sub(r"^(bf|fp)(\d+)$", lambda f: ("b" if f[1] == "bf" else "") + "float" + f[2], kind)


def _cast(found):
    return f"cannot cast {_written(found[1])}[] to {_written(found[2])}"


def _written(said):
    found = re.fullmatch(r"pointer<(.+)>", said)
    return f"pointer<{_name(found[1])}>" if found else _name(said)


def _count(sizes):
    count = 1
    for size in sizes.split(", "):
        count *= int(size)
    return count


def _of_broadcast(found):
    """Shapes that do not fit: of an operation of two tensors, or of a tensor and the shape that it is broadcast to."""
    if re.match(r"(?:\w+\.)*broadcast_to\(", found[6]):
        return (f"Cannot broadcast, the expanded size of the tensor ({found[5]}) must match the existing size ({found[4]}) "
                f"at non-singleton dimension {found[3]}: {_shape(found[1])}, [{found[2]}]")
    return f"Cannot make_shape_compatible: incompatible dimensions at index {found[3]}: {found[4]} and {found[5]}"


def _order(found):
    """Not a permutation, or one of other dimensions than the block's."""
    numbers = sorted(int(number) for number in found[1].split(", ") if number)
    return _SAME_LENGTH if numbers == list(range(len(numbers))) else "Expected a permutation of (0, 1, ..., len(order)-1) in order"


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


_SAME_LENGTH = "Expected shape/strides/offsets/block_shape to have the same length"
_ROUNDINGS = "Invalid rounding mode: {}. Supported rounding modes are 'rtne' and 'rtz'."


def _too_many(name, taken, given):
    return f"{name}() takes {taken} positional argument{'' if taken == 1 else 's'} but {given} were given"


# What our message begins with, which the marked source follows in a line of its own, Triton's class, and its words; None for an assertion without any.
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
    (r"cannot broadcast shapes \[(.*)\] and \[(.*)\]: dimension (\d+) is (\d+) in one and (\d+).*\n(.*)", ValueError, _of_broadcast),
    (r"'(\w+)' changes its type in this loop: it is (\w+) before and (\w+) after", AssertionError,
     lambda f: f"Loop-carried variable {f[1]} has initial type {_name(f[2])} but is re-assigned to {_name(f[3])} in loop! "
               "Please make sure that the type stays consistent."),
    (r"'(\w+)' differs in type after this run-time 'if': (\w+) in one arm and (\w+)", AssertionError,
     lambda f: f"Mismatched type for {f[1]} between then block ({_name(f[2])}) and else block ({_name(f[3])})"),
    (r"the return values of '\w+' differ in type: (.+?) and (.+?);", TypeError, lambda f: f"Inconsistent return types: {f[1]} and {f[2]}"),
    (r"'.{1,3}': the literal (\S+) is out of range for (\w+)", ValueError, lambda f: f"Scalar {f[1]} is out of range for type {_name(f[2])}"),
    (r"'.{1,3}': the negative literal \S+ meets an unsigned operand", ValueError,
     lambda f: "Cannot perform a binary operation between an unsigned tensor and a negative scalar. Perform a explicit cast on one of them."),
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
    (r"a number in the place of a list goes beyond Triton", TypeError, lambda f: "'int' object is not iterable"),
    (r"an offset of 64 bits goes beyond Triton", AssertionError,
     lambda f: "Block pointers only support 32 bit `offsets/block_shape`, add a `.to(tl.int32)` or use regular indexing for 64 bit support"),
    (r"a store of (\w+) to a block of (\w+) goes beyond Triton", AssertionError,
     lambda f: f"Block element type({_name(f[2])}) and value element type({_name(f[1])}) mismatch"),
    (r"a store of a tensor of shape \[(.*)\] to a block of shape \[(.*)\] goes beyond", AssertionError,
     lambda f: f"Block shape({_shape(f[2])}) and value shape({_shape(f[1])}) mismatch"),
    (r"tl\.store: 'value' has shape \[(.*)\], which does not broadcast to the block's shape \[(.*)\]", AssertionError,
     lambda f: f"Block shape({_shape(f[2])}) and value shape({_shape(f[1])}) mismatch"),
    (r"a list of (\d+) rows goes beyond Triton", AssertionError, lambda f: f"descriptor gather must have at least 8 rows, but got [{f[1]}]"),
    (r"a row of fewer than 32 bytes goes beyond Triton", AssertionError, lambda f: "descriptor gather must have at least 32 bytes in a row"),
    (r"'atomic_\w+' of a descriptor of \w+ goes beyond Triton", AssertionError, lambda f: "Unsupported dtype"),
    (r"'tl\.cat' in order goes beyond Triton", AssertionError, lambda f: "current implementation of `cat` always may reorder elements"),
    (r"'tl\.cat' of several dimensions goes beyond Triton", AssertionError, None),
    (r"assertion failed(?:: (.*))?", AssertionError, lambda f: f[1] or ""),
    (r"tl\.expand_dims: 'axis' is (-?\d+), but the result has (\d+)", ValueError, lambda f: f"invalid axis {f[1]}. Expected -{f[2]} <= axis < {f[2]}"),
    (r"tl\.gather: 'axis' is (-?\d+), but the tensor has (\d+)", AssertionError, lambda f: f"gather axis {f[1]} must be < source rank ({f[2]})"),
    (r"tl\.expand_dims: 'axis' names dimension (\d+) twice", ValueError, lambda f: f"expand_dims received duplicate axes, normalized axes = [{f[1]}, {f[1]}]"),
    (r"tl\.\w+: 'axis' is (-?\d+), but the tensor has (\d+) dimensions?", ValueError,
     lambda f: f"invalid axis {f[1]}. Expected -{f[2]} <= axis < {f[2]}"),
    (r"tl\.permute: 'dims' is \[(.*)\], which does not name each of the (\d+) dim", ValueError,
     lambda f: "permute dims must have the same length as input shape" if f[1].count(",") + 1 != int(f[2]) else
     f"permute dims must be a permutation of 0, 1, ..., n-1, but were [{f[1]}]"),
    (r"(tl\.(?:load|store)): 'pointer' must be a pointer or a tensor of pointers, but it is (?!a )(.+?)(?:;|$)", ValueError,
     lambda f: f"Unsupported ptr type {_repr(f[2])} in `{f[1]}`"),
    (r"tl\.load: '(?:boundary_check|padding_option)' is for block pointers", ValueError,
     lambda f: "`padding_option` or `boundary_check` argument is not supported for loading a tensor of pointers or loading a scalar"),
    (r"tl\.store: 'boundary_check' is for block pointers", ValueError,
     lambda f: "`boundary_check` argument is not supported for storing a tensor of pointers or storing a scalar"),
    (r"tl\.(?:load|store): '(?:mask|other)' cannot be used with a block pointer", ValueError,
     lambda f: "`mask` and `other` arguments cannot be specified for loading block pointers"),
    (r"tl\.(?:load|store): 'boundary_check' names dimension", AssertionError, None),
    (r"tl\.load: 'other' is .+, but the pointer is a scalar", ValueError, lambda f: "Other argument cannot be block type if pointer argument is not a block"),
    (r"tl\.\w+: 'padding_option' is 'nan', but", ValueError,
     lambda f: f"Padding option `nan` is not supported for integer {'blocks' if f[0].startswith('tl.make') else 'block pointers'}"),
    (r"tl\.\w+: 'padding_option' is '(.*?)'", ValueError, lambda f: f"Padding option {f[1]} not supported"),
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
    (r"tl\.make_block_ptr: 'order' is \[(.*)\], but must name each", AssertionError, _order),
    (r"tl\.make_block_ptr: '\w+' has \d+ entries, but the block has", AssertionError, lambda f: _SAME_LENGTH),
    (r"tl\.make_block_ptr: 'block_shape' must hold integers known at compile time", AssertionError,
     lambda f: "Expected a list of constant integers (`int32_t` range) in `block_shape`"),
    (r"tl\.make_block_ptr: 'base' must be one pointer", ValueError, lambda f: "Expected `base` to be a pointer type (but not a block pointer type or others)"),
    (r"tl\.(multiple_of|max_contiguous|max_constancy): 'values' must hold integers.*\n(.*)", TypeError,
     lambda f: f"values element{_element(f[2], lambda value: not isinstance(value, int))} must have type `constexpr[int]`"),
    (r"tl\.(multiple_of|max_contiguous|max_constancy): 'values' has \d+ entries", ValueError,
     lambda f: f"Shape of input to {f[1]} does not match the length of values"),
    (r"fp_downcast_rounding is for conversions to a narrower float, but this one is from (\w+) to (\w+)", ValueError,
     lambda f: "fp_downcast_rounding should be set only for truncating fp conversions. "
               f"Source scalar type is {_name(f[1])} and destination type is {_name(f[2])}"),
    (r"tl\.(?:sort|topk): 'dim' is \d+, but only the last", AssertionError, lambda f: "only minor dimension is currently supported"),
    (r"the condition of \w+ must be one value", ValueError, lambda f: "Boolean value of Tensor with more than one value is ambiguous"),
    (r"tl\.make_tensor_descriptor: 'strides' ends with (\d+)", ValueError, lambda f: f"Tensor descriptor last dim must be 1 but got {f[1]}"),
    (r"tl\.make_tensor_descriptor: 'block_shape' has (\d+) dimensions, but a descriptor has", ValueError,
     lambda f: f"Expected 1 <= ndim <= 5 but got {f[1]} dimensions"),
    (r"tl\.make_tensor_descriptor: 'strides' has (\d+) entries, but the block has (\d+)", ValueError, lambda f: f"Expected {f[2]} strides but got {f[1]}"),
    (r"tl\.make_tensor_descriptor: 'shape' has (\d+) entries, but the block has (\d+)", ValueError,
     lambda f: f"Expected block_shape to have {f[1]} dimensions but got {f[2]}"),
    (r"tl\.make_tensor_descriptor: 'block_shape' must hold integers known", TypeError, lambda f: "Shape element must have type `constexpr[int]`"),
    (r"tl\.make_tensor_descriptor: 'base' must be one pointer", AssertionError, None),
    (r"desc\.\w+: 'offsets' has (\d+) entries, but the descriptor has (\d+)", AssertionError, lambda f: f"expected {f[2]} offsets, but got {f[1]}"),
    (r"desc\.(?:store|atomic_\w+): 'value' has shape", AssertionError, None),
    (r"desc\.atomic_\w+: 'self' has elements of", AssertionError, lambda f: "Unsupported dtype"),
    (r"desc\.(?:gather|scatter): 'self' must have two .*, but its blocks are \[(.*)\]", AssertionError,
     lambda f: f"descriptor block must have 1 row, but got {_shape(f[1])}" if f[1].count(",") == 1 else f"descriptor must be 2D, but got {_shape(f[1])}"),
    (r"desc\.(?:gather|scatter): 'x_offsets' must be .* of one dimension, but it is \w+\[(.*, .*)\]", AssertionError,
     lambda f: f"x offsets must be 1D, but got {_shape(f[1])}"),
    (r"unknown rounding '(.*)'; use", ValueError, lambda f: _ROUNDINGS.format(f[1])),
    (r"tensor\.to: 'fp_downcast_rounding' must be a string, but it is the \w+ (.+)", ValueError, lambda f: _ROUNDINGS.format(f[1])),
    (r"cannot cast (\S+) to ([^\s;]+);", AssertionError, _cast),
    (r"(?:tensor\.to|tl\.cast): 'dtype' must be a dtype such as tl\.float32, but it is (?:the )?(\w+)", AttributeError,
     lambda f: f"'{_TYPES.get(f[1], {'None': 'NoneType'}.get(f[1], f[1]))}' object has no attribute 'scalar'"),
    (r"the integer (-?\d+) does not fit in 64 bits", ValueError, lambda f: f"Nonrepresentable integer {f[1]}."),
    (r"tl\.arange: 'end' must be greater than 'start'", ValueError, lambda f: "arange's end argument must be greater than the start argument"),
    (r"tl\.arange: '\w+' must be an integer known at compile time", ValueError, lambda f: "arange's arguments must be of type tl.constexpr"),
    (r"tl\.arange: '\w+' must be -\d+ to \d+, but it is", ValueError, lambda f: "arange must fit in int32"),
    (r"tl\.\w+: '\w+' is \[(.*)\], which is more than (\d+) elements", ValueError,
     lambda f: f"numel ({_count(f[1])}) exceeds triton maximum tensor numel ({f[2]})"),
    (r"tl\.broadcast_to: needs equal ranks, but got \w+\[(.*)\] and the shape \[([^\]]*)\]", ValueError,
     lambda f: f"Cannot broadcast, rank mismatch: {_shape(f[1])}, [{f[2]}]"),
    (r"tl\.split: 'a' ", AssertionError, None),
    (r"tl\.(reduce|associative_scan): 'input' holds tensors of different shapes", AssertionError,
     lambda f: f"all {'reduction' if f[1] == 'reduce' else 'scan'} inputs must have the same shape"),
    (r"tl\.(?:reduce|associative_scan): 'combine_fn' must give", AssertionError, None),
    (r"tl\.gather: 'index' must have the shape of 'src' except in dimension (\d+)", AssertionError,
     lambda f: f"index dim {f[1]} must match the corresponding source dim"),
    (r"tl\.device_print: 'prefix' must be a string, but it is (\w+);", AssertionError, lambda f: f"{_name(f[1])}[] is not string"),
    (r"tl\.\w+: 'scope' is '(\w*)'", ValueError, lambda f: f"Memory semantic {f[1]} not supported"),
    (r"tl\.atomic_\w+: 'pointer' must be a pointer or a tensor of pointers, but it is (\w+(?:\[.*\])?);", ValueError,
     lambda f: f"Pointer argument of store instruction is {_repr(f[1])}"),
    (r"tl\.\w+: '\w+' must be float32 or float64, but it is (\w+)", ValueError, lambda f: f"Expected dtype ['fp32', 'fp64'] but got {_name(f[1])}"),
    (r"tl\.div_rn: needs float32, but got (\w+)", ValueError, lambda f: f"Expected dtype ['fp32'] but got {_name(f[1])}"),
    (r"tl\.umulhi: needs integers of 32 or 64 bits, but got (\w+)", ValueError,
     lambda f: f"Expected dtype ['int32', 'int64', 'uint32', 'uint64'] but got {_name(f[1])}"),
    (r"tl\.fdiv: needs two floats", TypeError, lambda f: "both operands of fdiv must have floating scalar type"),
    (r"tl\.clamp: needs floats, but got (\w+)", TypeError, lambda f: f"Unexpected dtype {_name(f[1])}. Only floating point clamp is supported"),
    (r"libdevice\.\w+: needs .*, but got (\w+);", KeyError, lambda f: f"({_repr(f[1])})"),
    (r"libdevice\.\w+: '\w+' must be an integer of .*, but it is (\w+)", KeyError, lambda f: f"({_repr(f[1])})"),
    (r"(?:\w+\.)*(\w+) (?:needs an argument for|got) '(\w+)'( twice)?", TypeError, lambda f: f"{f[1]}() got multiple values for argument '{f[2]}'"
     if f[3] else f"{f[1]}() missing 1 required positional argument: '{f[2]}'"),
    (r"'(\w+)' takes (\d+) positional arguments, but (\d+) are given", TypeError, lambda f: _too_many(f[1], int(f[2]), f[3])),
    (r"(?:\w+\.)*(\w+) takes at most (\d+) positional arguments?, but got (\d+)", TypeError, lambda f: _too_many(f[1], int(f[2]), f[3])),
    (r"parameter '(\w+)' of '(?:.*\.)?(\w+)' is not given", TypeError, lambda f: f"{f[2]}() missing 1 required positional argument: '{f[1]}'"),
    (r"parameter '(\w+)' of '(?:.*\.)?(\w+)' is given twice", TypeError, lambda f: f"{f[2]}() got multiple values for argument '{f[1]}'"),
    (r"(?:.*\.)?'?(\w+?)'? has no parameter '(\w+)'", TypeError, lambda f: f"{f[1]}() got an unexpected keyword argument '{f[2]}'"),
    (r"the two arms of this conditional expression differ in type: (.+) in one arm and (.+) in the other", AssertionError,
     lambda f: f"Ternary expression with dynamic condition has inconsistent types {_type(f[1])} and {_type(f[2])}"),
    (r"'(\w+)' is not defined here", NameError, lambda f: f"{f[1]} is not defined"),
    (r"attributes cannot be assigned in a kernel", NotImplementedError, lambda f: "Attribute assignment is not supported in triton"),
    (r"elements cannot be assigned", NotImplementedError, lambda f: "__setitem__ is not supported in triton"),
    (r"unary '~' needs integers, but got (\w+)", ValueError, lambda f: f"wrong type argument to unary invert ({_repr(f[1])})"),
    (r"unary '-' is not defined on pointers \((.*)\)", ValueError, lambda f: f"wrong type argument to unary minus ({_repr(f[1])})"),
    (r"cannot apply '\+' to two pointers", TypeError, lambda f: "cannot add pointers together"),
    (r"division by zero", ZeroDivisionError, lambda f: "integer division or modulo by zero"),
    (r"index -?\d+ is out of range for a (?:tuple|list)", IndexError, lambda f: "list index out of range"),
    (r"tl\.dot: 'acc' is .*, but the product has shape", AssertionError, lambda f: "accumulator shape is incompatible"),
    (r"tl\.dot: 'acc' is .*, but the product accumulates", AssertionError, None),
    (r"tl\.dot: '(input|other)' has dtype (\w+); a product takes", AssertionError,
     lambda f: f"Unsupported {'lhs' if f[1] == 'input' else 'rhs'} dtype {_name(f[2])}"),
    (r"tl\.dot: 'out_dtype' is bfloat16", ValueError,
     lambda f: "out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16 and cast with `.to(tl.bfloat16)`"),
    (r"tl\.dot: got both 'input_precision' and 'allow_tf32'", AssertionError, lambda f: "Only one of input_precision and allow_tf32 can be specified"),
    (r"tl\.dot: batch sizes differ", AssertionError, lambda f: "input and other must have equal batch shapes"),
    (r"tl\.\w+: 'propagate_nan' must be", ValueError, lambda f: "Unexpected propagate_nan"),
    (r"a tuple is indexed by a compile-time integer", AssertionError, None),
    (r"tl\.\w+: '\w+' must be a tensor or a number, but it is a tuple", TypeError,
     lambda f: "cannot convert tuple of type <class 'triton.language.core.tuple'> to tensor"),
)


def find(said, marked=""):
    """The exception for our message and the source that it marks, or None."""
    for pattern, kind, words in _WORDS:
        if found := re.match(pattern, f"{said}\n{marked}", re.MULTILINE):
            return kind(words(found)) if words else kind()
    return None
