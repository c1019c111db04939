"""Training steps compiled by Inductor to Triton code: losses, gradients and parameters after steps of an optimizer, equal to
eager; with autocast, dynamic shapes and dropout."""

import copy

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import Convolutions, Decoder


def train(model, batches, loss, compiled, autocast=False, dynamic=None):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    forward = torch.compile(model, fullgraph=True, dynamic=dynamic) if compiled else model
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
            value = loss(forward(inputs), targets)
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return torch.stack(losses)


def compare_training(model, batches, loss, rtol=1e-3, atol=1e-4, **options):
    other = copy.deepcopy(model)
    expected, found = train(other, batches, loss, False, **options), train(model, batches, loss, True, **options)
    torch.testing.assert_close(found, expected, rtol=rtol, atol=atol)
    for (name, left), right in zip(model.named_parameters(), other.parameters()):
        torch.testing.assert_close(left.grad, right.grad, rtol=10 * rtol, atol=10 * atol, msg=lambda text, n=name: f"{n}: {text}")
    assert found[-1] < found[0]


def word_loss(logits, targets):
    return F.cross_entropy(logits.flatten(0, -2).float(), targets.flatten())


def make_tokens(*shape):
    tokens = torch.randint(0, 50, shape)
    return tokens[:, :-1], tokens[:, 1:]


def test_transformer(loaded):
    batch = make_tokens(2, 17)
    compare_training(Decoder(), [batch] * 3, word_loss)
    assert len(loaded) > 10


def test_transformer_with_autocast(loaded):
    batch = make_tokens(2, 17)
    compare_training(Decoder(), [batch] * 3, word_loss, autocast=True, rtol=2e-2, atol=1e-2)
    assert len(loaded) > 10


def test_transformer_with_dynamic_shapes(loaded):
    model = Decoder(layers=1)
    compiled = torch.compile(model, fullgraph=True, dynamic=True)
    for shape in ((2, 9), (3, 14), (2, 21)):
        tokens, targets = make_tokens(*shape)
        word_loss(model(tokens), targets).backward()
        expected = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        word_loss(compiled(tokens), targets).backward()
        for parameter, grad in zip(model.parameters(), expected):
            torch.testing.assert_close(parameter.grad, grad, rtol=1e-3, atol=1e-4)
        model.zero_grad()
    assert loaded


def test_convolutions(loaded):
    batch = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4, ))
    compare_training(Convolutions(), [batch] * 3, F.cross_entropy)
    assert loaded


def test_torch_layers_of_a_transformer(loaded):
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    compare_training(layer, [(torch.randn(2, 6, 32), torch.randn(2, 6, 32))] * 3, F.mse_loss)
    assert loaded


def test_dropout_as_eager_does_it(loaded):
    """With eager's random numbers, the result is eager's, in both directions."""
    with torch._inductor.config.patch(fallback_random=True):
        x = torch.randn(50, 20, requires_grad=True)
        function = lambda x: F.dropout(x * 2, 0.4) + 1
        torch.manual_seed(7)
        expected = function(x)
        torch.manual_seed(7)
        found = torch.compile(function, fullgraph=True)(x)
        torch.testing.assert_close(found, expected)
    assert loaded


def test_random_numbers_of_kernels(loaded):
    """Inductor's own: the backward pass drops what the forward pass dropped, and the numbers are distributed as they should be."""
    x = torch.ones(20000, requires_grad=True)
    found = torch.compile(lambda x: F.dropout(x * 2, 0.25), fullgraph=True)(x)
    found.sum().backward()
    assert torch.equal(x.grad, found.detach())
    torch.testing.assert_close(found.detach().unique(), torch.tensor([0, 2 / 0.75]))
    assert abs((found == 0).float().mean().item() - 0.25) < 0.02
    a, b = torch.compile(lambda: (torch.rand(20000), torch.randn(20000)), fullgraph=True)()
    assert 0 <= a.min() and a.max() < 1 and abs(a.mean() - 0.5) < 0.02 and abs(b.mean()) < 0.05 and abs(b.std() - 1) < 0.05
    assert len(loaded) >= 3


@pytest.mark.parametrize("make", (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), lambda p: torch.optim.Adam(p, 0.01)),
                         ids=("sgd", "adam"))
def test_compiled_optimizers(loaded, make):
    first = [torch.randn(20, 3), torch.randn(7)]
    results = []
    for compiled in (False, True):
        parameters = [nn.Parameter(t.clone()) for t in first]
        optimizer = make(parameters)
        step = torch.compile(optimizer.step) if compiled else optimizer.step
        for i in range(3):
            for parameter in parameters:
                parameter.grad = torch.cos(parameter.detach() + i)
            step()
        results.append([p.detach() for p in parameters])
    torch.testing.assert_close(results[1], results[0])
    assert loaded


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float64))
def test_layers_of_other_types(loaded, dtype):
    x, w = torch.randn(6, 32, dtype=dtype), torch.randn(32, dtype=dtype)
    function = lambda x, w: F.softmax(F.layer_norm(x, (32, ), w) * 2, -1).sum(0)
    torch.testing.assert_close(torch.compile(function, fullgraph=True)(x, w), function(x, w))
    assert loaded


@pytest.mark.parametrize("shapes", (((1, ), (2, ), (300, )), ((4, 5), (1, 1), (17, 33))), ids=("vectors", "matrices"))
def test_dynamic_shapes(loaded, shapes):
    function = lambda x, y: (x * y + x.sum(-1, keepdim=True)).softmax(-1)
    compiled = torch.compile(function, dynamic=True, fullgraph=True)
    for shape in shapes:
        x, y = torch.randn(shape), torch.randn(shape)
        torch.testing.assert_close(compiled(x, y), function(x, y))
    assert loaded


def test_sizes_as_numbers(loaded):
    """Sizes and numbers of Python become arguments of kernels: of 64 bits, and of double precision."""
    function = lambda x, a, n: x * a + n * x.shape[0]
    compiled = torch.compile(function, dynamic=True, fullgraph=True)
    for a, n in ((0.1, 3), (1e-300, 1 << 40), (2.5, -7)):
        x = torch.randn(10, dtype=torch.float64)
        torch.testing.assert_close(compiled(x, a, n), function(x, a, n), rtol=1e-15, atol=0)
    assert loaded
