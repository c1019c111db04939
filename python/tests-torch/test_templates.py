"""Inductor's templates of matrix products, whose configurations it measures (`max_autotune`). Attention has no template for the CPU
in Triton's language."""

import pytest
import torch
import torch._inductor.config as config


@pytest.fixture(autouse=True)
def only_templates():
    """Each product is a kernel of Triton's language, whatever is the fastest here. Code that follows it is a kernel of its own:
    PyTorch fuses it wrongly for the CPU (an IndentationError in what it generates)."""
    with config.patch(max_autotune=True, max_autotune_gemm_backends="TRITON", autotune_in_subproc=False, epilogue_fusion=False):
        yield


def names(loaded):
    return {kernel.src_name for kernel in loaded}


def test_product(compare, loaded):
    compare(torch.mm, (torch.randn(33, 48), torch.randn(48, 20)))
    assert any(name.startswith("triton_tem_") for name in names(loaded))


def test_linear_layer(compare, loaded):
    def program(x, w, b):
        return torch.nn.functional.gelu(torch.addmm(b, x, w))

    compare(program, (torch.randn(40, 64), torch.randn(64, 32), torch.randn(32)))
    assert any(name.startswith("triton_tem_") for name in names(loaded))


def test_products_of_a_batch(compare, loaded):
    compare(torch.bmm, (torch.randn(3, 16, 32), torch.randn(3, 32, 24)))
    assert any(name.startswith("triton_tem_") for name in names(loaded))


def test_half_precision(compare, loaded):
    compare(torch.mm, (torch.randn(32, 64).bfloat16(), torch.randn(64, 32).bfloat16()), rtol=2e-2, atol=2e-2)
    assert any(name.startswith("triton_tem_") for name in names(loaded))
