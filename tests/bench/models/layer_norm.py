"""Layer norm with weight and bias over 4096 rows of 4096. Input sets: f32, bf16."""
import torch


class LayerNorm(torch.nn.Module):
    def forward(self, x, weight, bias):
        return torch.nn.functional.layer_norm(x, weight.shape, weight, bias)


def get_model():
    return LayerNorm()


def get_inputs(dtype=torch.float32):
    return [torch.randn(shape).to(dtype) for shape in ((4096, 4096), (4096,), (4096,))]


INPUT_SETS = {"f32": get_inputs, "bf16": lambda: get_inputs(torch.bfloat16)}
