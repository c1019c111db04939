"""Rows of the comparison whose kernels take a row per program, over all lengths of rows: softmax, RMS norm, layer norm, and
cross entropy without and with its gradient. Each moves about 256 MB, and a copy of as many bytes takes its turns."""

import torch
import triton

from measuring import own, Part, Step, Work

ELEMENTS = 1 << 26
COLUMNS = 1024, 4096, 8192, 12288, 32768, 131072, 262144
OTHER_COLUMNS = 8192, 131072  # Of the type that a kernel sees less often.
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
TOLERANCES = {"f16": 1e-3, "bf16": 1e-2}
LONG, LONG_TOLERANCE = 65536, 4e-3  # A share of 1 / 65536 is denormal in f16, which then has fewer digits.
MOST_WHOLE = 32768  # Longer rows do not fit in a program's registers.
FUNCTIONS = torch.nn.functional


def configs(columns):
    """The row as one block, or blocks of it."""
    whole = triton.next_power_of_2(columns)
    warps = [w for w in (1, 2, 4, 8, 16, 32) if 256 <= whole // w <= 2048]
    found = [({"BLOCK": whole, "WHOLE": True}, w, 2) for w in warps if whole <= MOST_WHOLE]
    blocks = [(2048, 4), (4096, 8), (4096, 16), (8192, 8), (8192, 16), (16384, 16), (16384, 32), (32768, 32)]
    return found + [({"BLOCK": b, "WHOLE": False}, w, 2) for b, w in blocks if columns > 8192 and b < columns]


def rows_of(columns, kind, scale=1.0):
    return torch.randn(ELEMENTS // columns, columns, device="cuda").mul_(scale).to(DTYPES[kind])


def work(kernel, arguments, rows, columns, outputs, expected, amount, peer, kind, answers, results=None):
    step = Step(own("row_kernels"), kernel, arguments, lambda m: (rows, ))
    part = Part([step], configs(columns), outputs, expected, results)
    return Work([part], amount, "GB/s", {"PyTorch": peer}, max(TOLERANCES[kind], LONG_TOLERANCE if columns > LONG else 0), answers, copy=True)


def softmax(columns, kind):
    x = rows_of(columns, kind)
    out = torch.empty_like(x)
    return work("softmax_row_kernel", [x, out, columns], len(x), columns, {"out": out},
                lambda: {"out": torch.softmax(x.float(), 1)}, 4 * x.numel(), lambda: torch.softmax(x, 1), kind,
                lambda answer: {"out": answer})


def rms_norm(columns, kind):
    x, out = rows_of(columns, kind), torch.empty(ELEMENTS // columns, columns, device="cuda", dtype=DTYPES[kind])
    weight, rstd = torch.rand(columns, device="cuda").to(x.dtype), torch.empty(len(x), device="cuda")

    def expected():
        found = torch.rsqrt(x.float().square().mean(1) + 1e-6)
        return {"out": x.float() * found[:, None] * weight.float(), "rstd": found}

    return work("rms_norm_row_kernel", [x, weight, out, rstd, columns, 1e-6], len(x), columns, {"out": out, "rstd": rstd},
                expected, 4 * x.numel(), lambda: FUNCTIONS.rms_norm(x, (columns, ), weight, 1e-6), kind,
                lambda answer: {"out": answer})


def layer_norm(columns, kind):
    x, out = rows_of(columns, kind), torch.empty(ELEMENTS // columns, columns, device="cuda", dtype=DTYPES[kind])
    weight, bias = (torch.rand(columns, device="cuda").to(x.dtype) for _ in range(2))
    mean, rstd = (torch.empty(len(x), device="cuda") for _ in range(2))

    def expected():
        out, mean, rstd = torch.native_layer_norm(x.float(), (columns, ), weight.float(), bias.float(), 1e-5)
        return {"out": out, "mean": mean[:, 0], "rstd": rstd[:, 0]}

    return work("layer_norm_row_kernel", [x, weight, bias, out, mean, rstd, columns, 1e-5], len(x), columns,
                {"out": out, "mean": mean, "rstd": rstd}, expected, 4 * x.numel(),
                lambda: FUNCTIONS.layer_norm(x, (columns, ), weight, bias), kind, lambda answer: {"out": answer})


def cross_entropy(columns, kind, gradient):
    """Of rows' sums, not means: f16 could not represent the gradients of these. They are compared apart from the targets'
    columns, whose values would hide the others."""
    x = rows_of(columns, kind)
    rows = len(x)
    target = torch.randint(0, columns, (rows, ), device="cuda")
    loss = torch.empty(rows, device="cuda")
    grad = torch.empty_like(x) if gradient else None
    leaf = x.detach().requires_grad_()

    def gradients(values):
        others = values.float().scatter(1, target[:, None], 0)
        return {"gradient": others, "gradient of targets": values.float().gather(1, target[:, None])[:, 0]}

    def expected():
        found = {"loss": FUNCTIONS.cross_entropy(x.float(), target, reduction="none")}
        if gradient:
            exact = torch.softmax(x.float(), 1)
            found |= gradients(exact.scatter_add(1, target[:, None], torch.full((rows, 1), -1.0, device="cuda")))
        return found

    def peer():
        if not gradient:
            return FUNCTIONS.cross_entropy(x, target, reduction="none")
        total = FUNCTIONS.cross_entropy(leaf, target, reduction="sum")
        return torch.autograd.grad(total, leaf)[0]

    outputs = {"loss": loss} | ({"gradient": grad} if gradient else {})
    return work("cross_entropy_row_kernel", [x, target, loss, grad, columns, 1.0], rows, columns, outputs, expected,
                (4 if gradient else 2) * x.numel(), peer, kind, gradients if gradient else lambda answer: {"loss": answer},
                lambda: {"loss": loss} | (gradients(grad) if gradient else {}))


KINDS = {
    "softmax": (softmax, "f16"), "layer norm": (layer_norm, "f16"), "RMS norm": (rms_norm, "bf16"),
    "cross entropy": (lambda columns, kind: cross_entropy(columns, kind, False), "bf16"),
    "cross entropy with gradient": (lambda columns, kind: cross_entropy(columns, kind, True), "bf16"),
}


def short(columns):
    return f"{columns // 1024}k"


ROWS = [(f"{name} rows {kind} {short(columns)}", lambda make=make, columns=columns, kind=kind: make(columns, kind))
        for name, (make, usual) in KINDS.items() for kind in DTYPES
        for columns in (COLUMNS if kind == usual else OTHER_COLUMNS)]
