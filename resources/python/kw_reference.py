"""Runs a .pt2 archive as Python would and saves the outputs: kw_reference.py MODEL.pt2 OUT.pt [--threads N] [--inputs FILE.pt]"""

import argparse

import torch


def align(program):
    """Gives weights the alignment that they had in the exported module.

    A loaded archive leaves them wherever its bytes lie, and small products of MKL round differently with the address.
    """
    for name, tensor in list(program.state_dict.items()):
        copy = tensor.detach().clone()
        program.state_dict[name] = torch.nn.Parameter(copy, requires_grad=False) if isinstance(tensor, torch.nn.Parameter) else copy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--inputs")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    program = torch.export.load(options.model)
    align(program)
    positional, named = program.example_inputs or ((), {})
    if options.inputs:
        positional, named = torch.load(options.inputs), {}
    with torch.inference_mode():
        outputs = program.module()(*positional, **named)
    leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
    torch.save(tuple(leaves), options.out)


if __name__ == "__main__":
    main()
