"""Runs a .pt2 archive as Python would and saves the outputs: kw_reference.py MODEL.pt2 OUT.pt [--threads N] [--inputs FILE.pt]"""

import argparse

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--inputs")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    program = torch.export.load(options.model)
    positional, named = program.example_inputs or ((), {})
    if options.inputs:
        positional, named = torch.load(options.inputs), {}
    with torch.inference_mode():
        outputs = program.module()(*positional, **named)
    leaves = [leaf for leaf in torch.utils._pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
    torch.save(tuple(leaves), options.out)


if __name__ == "__main__":
    main()
