import triton
import triton.language as tl

from . import settings
from .settings import Limits

COUNT = tl.constexpr((lambda words: len(words))("abc"))
print("what a file prints is not part of the answer: COUNT=99")
WIDTH = (lambda: 4)()
NAME = "-".join(["a", "b"])


@triton.jit
def kernel(out):
    tl.store(out, COUNT)
    tl.store(out + 1, WIDTH)
    tl.store(out + 2, settings.DEPTH)
    tl.store(out + 3, NAME == "a-b")
    tl.store(out + 4, Limits.MOST)
