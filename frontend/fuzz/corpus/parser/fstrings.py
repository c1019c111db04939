@triton.jit
def k(x):
    a = f"{x}" f'{x!r:>{w}.{p}}' "t" rf"\{x}" f"{{}}{x=}{x = !s}{x:%Y-%m}"
    b = f"""{
        x  # comment
        + "q" + f"{f'{x}'}"
    }"""
    c = f"{x:{y:{z}}}" f'{lambda_(x)}' f"{'a' if x else "b"}" f"{x!=y}" f"{ {1: 2}[1] }"
