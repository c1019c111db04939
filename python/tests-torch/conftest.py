"""Shared by the tests of torch.compile over Tilerun: Inductor generates Triton code for the CPU, which the interpreter runs."""

import os

import pytest
import tilerun

tilerun.install()  # Before torch, which looks for `triton` when it is imported.

import torch
import torch._dynamo
import torch._inductor.config as config

from tilerun.triton.compiler import CompiledKernel


def pytest_report_header():
    return f"torch {torch.__version__}, package {tilerun.__path__[0]}"


# What `make test` runs where there is an environment.
QUICK = ("test_program[sine]", "test_program[softmax]", "test_between_fused_code", "test_writes", "test_names_of_triton",
         "test_sizes_as_numbers")


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="only a few of the programs")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--quick"):
        items[:] = [item for item in items if item.name in QUICK]
        assert len(items) == len(QUICK)


@pytest.fixture(autouse=True)
def use_triton_on_the_cpu():
    """Kernels are compiled in this process, and nothing is taken from the caches of earlier runs."""
    torch._dynamo.reset()
    torch.manual_seed(int(os.environ.get("TILERUN_TEST_SEED", "0")))
    with config.patch(cpu_backend="triton", compile_threads=1, force_disable_caches=True):
        yield


@pytest.fixture
def loaded(monkeypatch):
    """The kernels that Inductor has loaded to launch them."""
    kernels, plain = [], CompiledKernel._init_handles

    def init(self):
        kernels.append(self)
        return plain(self)

    monkeypatch.setattr(CompiledKernel, "_init_handles", init)
    return kernels


def clone(values):
    return torch.utils._pytree.tree_map_only(torch.Tensor, lambda t: t.detach().clone().requires_grad_(t.requires_grad), values)


@pytest.fixture
def compare(loaded):
    """Runs a function as it is and compiled, and compares results, changed arguments and gradients."""

    def compare(function, arguments, min_kernels=1, **options):
        tolerances = {name: options.pop(name) for name in ("rtol", "atol") if name in options}
        expected_arguments, arguments = clone(arguments), clone(arguments)
        compiled = torch.compile(function, fullgraph=True, **options)
        expected, found = function(*expected_arguments), compiled(*arguments)
        torch.testing.assert_close(found, expected, equal_nan=True, **tolerances)
        leaves = torch.utils._pytree.tree_leaves
        for left, right in zip(leaves(arguments), leaves(expected_arguments)):
            if isinstance(left, torch.Tensor):
                torch.testing.assert_close(left.detach(), right.detach(), equal_nan=True, **tolerances)
        outputs = [(f, e) for f, e in zip(leaves(found), leaves(expected)) if isinstance(f, torch.Tensor) and e.requires_grad]
        if outputs:
            for which in (0, 1):
                sum(pair[which].float().pow(2).sum() for pair in outputs).backward()
            grads = [(a.grad, e.grad) for a, e in zip(leaves(arguments), leaves(expected_arguments))
                     if isinstance(a, torch.Tensor) and a.requires_grad]
            assert grads and any(g[1] is not None for g in grads)
            for left, right in grads:
                torch.testing.assert_close(left, right, **({"rtol": 1e-4, "atol": 1e-4} | tolerances))
        assert len(loaded) >= min_kernels, "no kernel was launched: Inductor did not generate Triton code"
        return compiled

    return compare
