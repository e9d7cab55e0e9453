"""A transformer encoder block with its attention written out: 8 sequences of 256 tokens, width 512, 8 heads.

Everything a library call would hide is visible here: the scale, the softmax and the two residual layer norms are
separate operators, and each of them is work that a generated kernel can fuse.
"""

import math

import torch
from torch import nn

BATCH, TOKENS, WIDTH, HEADS, HIDDEN = 8, 256, 512, 8, 2048


class Attention(nn.Module):
    def __init__(self, width=WIDTH, heads=HEADS):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        batch, tokens, width = x.shape
        return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-2, -1))
        weights = torch.softmax(scores / math.sqrt(q.shape[-1]), dim=-1)
        mixed = torch.matmul(weights, v).transpose(1, 2).reshape(x.shape)
        return self.out(mixed)


class EncoderBlock(nn.Module):
    def __init__(self, width=WIDTH, heads=HEADS, hidden=HIDDEN):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1 = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.gelu = nn.GELU()
        self.down = nn.Linear(hidden, width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(self.gelu(self.up(x))))


def get_model():
    torch.manual_seed(0)
    model = EncoderBlock()
    with torch.no_grad():   # trained norms are not all ones and zeros
        for norm in (model.norm1, model.norm2):
            norm.weight.normal_(1.0, 0.2)
            norm.bias.normal_(0.0, 0.2)
    return model.eval()


def get_inputs(batch=BATCH):
    torch.manual_seed(1)
    return (torch.randn(batch, TOKENS, WIDTH),)


INPUT_SETS = {"default": get_inputs, "batch64": lambda: get_inputs(64)}
