"""Cross entropy of logits and class numbers, for vocabularies longer than a block, with its gradient.

The forward pass keeps the logarithm of each row's sum of exponentials, so that the gradient needs one pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def cross_entropy_fwd_kernel(Logits, Targets, Loss, LogSum, stride, N, ignored, BLOCK_SIZE: tl.constexpr):
    """Loss = log(sum(exp(row))) - row[target], one row per program; 0 where the target is the ignored one"""
    row = tl.program_id(0)
    Logits += row * stride
    largest = tl.full((BLOCK_SIZE,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    for start in range(0, N, BLOCK_SIZE):
        columns = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(Logits + columns, mask=columns < N, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(largest, x)
        # Each position of the block keeps its own maximum; those that have seen nothing stay at 0.
        total = tl.where(larger > float("-inf"), total * tl.exp(largest - larger) + tl.exp(x - larger), 0.0)
        largest = larger
    top = tl.max(largest, axis=0)
    log_sum = top + tl.log(tl.sum(total * tl.exp(largest - top), axis=0))
    target = tl.load(Targets + row)
    if target == ignored:
        tl.store(Loss + row, 0.0)
    else:
        tl.store(Loss + row, log_sum - tl.load(Logits + target).to(tl.float32))
    tl.store(LogSum + row, log_sum)


@triton.jit
def cross_entropy_bwd_kernel(DLogits, DLoss, Logits, Targets, LogSum, stride, N, ignored, BLOCK_SIZE: tl.constexpr):
    """dLogits = (softmax(row) - one_hot(target)) * dLoss, a block of a row per program"""
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = columns < N
    target = tl.load(Targets + row)
    scale = tl.where(target == ignored, 0.0, tl.load(DLoss + row))
    x = tl.load(Logits + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    p = tl.exp(x - tl.load(LogSum + row))
    dx = (p - tl.where(columns == target, 1.0, 0.0)) * scale
    tl.store(DLogits + row * stride + columns, dx.to(DLogits.dtype.element_ty), mask=mask)


def cross_entropy(logits, targets, ignored=-100):
    M, N = logits.shape
    loss = torch.empty(M, device=logits.device, dtype=torch.float32)
    log_sum = torch.empty_like(loss)
    cross_entropy_fwd_kernel[(M,)](logits, targets, loss, log_sum, logits.stride(0), N, ignored, BLOCK_SIZE=256)
    return loss, log_sum


def cross_entropy_backward(dloss, logits, targets, log_sum, ignored=-100):
    M, N = logits.shape
    dlogits = torch.empty_like(logits)
    grid = (M, triton.cdiv(N, 512))
    cross_entropy_bwd_kernel[grid](dlogits, dloss, logits, targets, log_sum, logits.stride(0), N, ignored,
                                   BLOCK_SIZE=512)
    return dlogits


if __name__ == "__main__":
    for M, N in ((1, 2), (17, 1000), (5, 5003)):
        logits = torch.randn((M, N), device="cuda", requires_grad=True)
        targets = torch.randint(0, N, (M,), device="cuda")
        targets[M // 2] = -100
        dloss = torch.rand(M, device="cuda")
        loss, log_sum = cross_entropy(logits.detach(), targets)
        dlogits = cross_entropy_backward(dloss, logits.detach(), targets, log_sum)
        expected = torch.nn.functional.cross_entropy(logits, targets, reduction="none", ignore_index=-100)
        expected.backward(dloss)
        torch.testing.assert_close(loss, expected.detach(), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(dlogits, logits.grad, rtol=1e-4, atol=1e-5)
    print("cross_entropy: ok")
