from __future__ import annotations
def f(a,  # type: int
      b):
    # type: (...) -> None
    pass
@triton.jit # noqa
# between
def k(a,  # type: ignore
      ): # c
    # c
    return a # c
    # c
