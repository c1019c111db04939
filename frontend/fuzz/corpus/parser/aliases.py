from triton import jit as j, language as tl
try:
    import triton
except ImportError:
    triton = None
if triton:
    @j
    def a(x): return x
else:
    @triton.jit
    def a(x): return -x
class C:
    @staticmethod
    @triton.jit
    def m(x): return a(x)
def outer():
    @triton.jit
    def inner(x): return x
