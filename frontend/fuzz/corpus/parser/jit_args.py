import triton as tt
@tt.jit(do_not_specialize=["n", 0], noinline=True, debug=False, repr=lambda s: "k", do_not_specialize_on_alignment=("x",))
def k(x, n): return x
