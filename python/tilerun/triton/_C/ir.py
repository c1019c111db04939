"""The summary of a kernel in the terms of Triton's IR, as PyTorch walks it (`triton_kernel_wrap.identify_mutated_tensors`) to
learn which tensors the kernel writes: one `tt.store` for each parameter that tile IR writes through."""

import itertools


class context:
    """Stands for a context of the compiler, which the library has itself."""


def load_dialects(context):
    """Nothing is to be loaded."""


_ids = itertools.count()


class _Node:
    """Anything with an identity."""

    def __init__(self):
        self._id = next(_ids)

    def id(self):
        return self._id


class Block(_Node):
    """The body of the kernel: its arguments are the parameters."""

    def __init__(self, num_arguments):
        super().__init__()
        self._arguments, self._region = [_Node() for _ in range(num_arguments)], _Node()

    def get_num_arguments(self):
        return len(self._arguments)

    def get_argument(self, i):
        return self._arguments[i]

    def get_parent(self):
        return self._region


class Operation(_Node):
    """An op without results."""

    def __init__(self, name, operands=(), block=None, regions=(), **attributes):
        super().__init__()
        self._name, self._operands, self._block, self._regions, self._attributes = name, operands, block, regions, attributes

    def get_name(self):
        return self._name

    def get_num_operands(self):
        return len(self._operands)

    def get_operand(self, i):
        return self._operands[i]

    def get_num_results(self):
        return 0

    def get_num_regions(self):
        return len(self._regions)

    def get_region(self, i):
        return self._regions[i]

    def get_block(self):
        return self._block

    def get_str_attr(self, name):
        return self._attributes.get(name)


class module:
    """A kernel with parameters by name (None: one that is never written), of which some are written."""

    def __init__(self, name, parameters, written):
        block = Block(len(parameters))
        ops = [Operation("tt.store", [block.get_argument(i)], block) for i, parameter in enumerate(parameters) if parameter in written]
        ops.append(Operation("tt.return", block=block))
        self._ops = [*ops, Operation("tt.func", regions=[block.get_parent()], sym_name=name), Operation("builtin.module")]

    def verify(self):
        return True

    def walk(self, visit):
        """Calls `visit` for each op, inner ones first."""
        for op in self._ops:
            visit(op)

    def __str__(self):
        return "\n".join(op.get_name() for op in self._ops)


operation = Operation
__all__ = ["context", "load_dialects", "module", "operation"]
