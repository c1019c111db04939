"""`triton._utils`: paths to items of nested tuples."""

from . import _missing


def find_paths_if(iterable, predicate):
    """The paths, as tuples of indices, to the items for which `predicate(path, item)` is true."""
    found = []

    def visit(path, item):
        if isinstance(item, (tuple, list)):
            for i, inner in enumerate(item):
                visit((*path, i), inner)
        elif predicate(path, item):
            found.append(path)

    for i, item in enumerate(iterable):
        visit((i, ), item)
    return found


def get_iterable_path(iterable, path):
    """The item at a path."""
    for i in path:
        iterable = iterable[i]
    return iterable


__all__ = ["find_paths_if", "get_iterable_path"]
__getattr__ = _missing.explain(__name__)
