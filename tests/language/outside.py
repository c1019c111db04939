"""A file that Python itself could not run: nothing in it matters but the kernel."""

import triton
import triton.language as tl

import no_such_package

WIDTH = no_such_package.measure()


def on_the_host(x):
    with open("/dev/null") as f, no_such_package.lock:
        yield from (lambda: x, *f)


class Unrelated(no_such_package.Base, metaclass=type):

    async def work(self):
        async for _ in self:
            raise on_the_host(lambda: 3)


print("never printed", file=no_such_package.stream)
for _ in range(0):
    del WIDTH


#: Z->i32[1] beyond
@triton.jit
def outside_is_skipped(Z):
    """Y11: Code outside jit functions is ordinary Python, which is skipped."""
    tl.store(Z, 1)
