"""Writes the small archives that the reader's tests use: python tests/data/make_archives.py (torch 2.11)."""

import pathlib

import torch
from torch import nn

HERE = pathlib.Path(__file__).parent


class Small(nn.Module):
    """A weight, a buffer, a constant, an in-place operator, a list of views, two outputs and a cast."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.register_buffer("offset", torch.arange(3.0))

    def forward(self, x, scale):
        y = self.linear(x).relu_() + self.offset
        a, b = y.split([1, 2], dim=1)
        return (a * scale).to(torch.bfloat16), b.t() + torch.tensor([1.0, 2.0]).unsqueeze(1)


def without_paths(program):
    """The folders of the machine that wrote the archive do not belong into it."""
    packages = str(pathlib.Path(torch.__file__).parents[1])
    for node in program.graph.nodes:
        trace = node.meta.get("stack_trace")
        if trace:
            node.meta["stack_trace"] = trace.replace(packages, "/python/site-packages").replace(str(HERE), "/model")
    return program


def main():
    torch.manual_seed(0)
    model = Small().eval()
    with torch.no_grad():
        static = torch.export.export(model, (torch.randn(2, 4), torch.tensor(2.0)))
        rows = torch.export.Dim("rows", min=2, max=64)
        dynamic = torch.export.export(model, (torch.randn(5, 4), torch.tensor(2.0)), dynamic_shapes=({0: rows}, None))
    torch.export.save(without_paths(static), HERE / "small.pt2")
    torch.export.save(without_paths(dynamic), HERE / "small_dynamic.pt2")
    torch.save((torch.arange(6.0).reshape(2, 3).t(), {"mask": torch.tensor([True, False])}, [3, 2.5, None]), HERE / "tensors.pt")


if __name__ == "__main__":
    main()
