"""Models with random weights for torch.compile, of the tests and of bench/gpu/torch_compile.py. What they create while they run is on
the device of their inputs."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v):
    """Causal attention, written out."""
    mask = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).tril()
    return (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(~mask, float("-inf")).softmax(-1) @ v


class Block(nn.Module):
    """A layer of a Llama-like decoder."""

    def __init__(self, width, heads, attention=attend):
        super().__init__()
        self.attention = attention
        self.heads, self.norm1, self.norm2 = heads, nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = (nn.Linear(*size, bias=False) for size in ((width, 2 * width), (width, 2 * width),
                                                                                   (2 * width, width)))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        half = q.shape[-1] // 2
        angle = torch.arange(length, device=x.device)[:, None] / 10000**(torch.arange(half, device=x.device) / half)
        turn = lambda t: torch.cat([t[..., :half] * angle.cos() - t[..., half:] * angle.sin(),
                                    t[..., half:] * angle.cos() + t[..., :half] * angle.sin()], -1)
        y = self.attention(turn(q).to(v.dtype), turn(k).to(v.dtype), v)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):

    def __init__(self, words=50, width=32, heads=2, layers=2, attention=attend):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.blocks = nn.Sequential(*(Block(width, heads, attention) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.table(tokens))))


class Convolutions(nn.Module):

    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(2, width), nn.SiLU(), nn.AdaptiveAvgPool2d(1),
                                  nn.Flatten(), nn.Linear(width, 5))

    def forward(self, x):
        return self.body(x)
