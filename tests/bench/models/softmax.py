"""Softmax over 4096 rows of 4096. Input sets: f32, bf16."""
import torch


class Softmax(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_model():
    return Softmax()


def get_inputs(dtype=torch.float32):
    return [torch.randn(4096, 4096).to(dtype)]


INPUT_SETS = {"f32": get_inputs, "bf16": lambda: get_inputs(torch.bfloat16)}
