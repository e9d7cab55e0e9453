"""Exports a user's model to a .pt2 archive. Run by the user's own Python:

    kw_export.py MODEL.py OUT.pt2 [--seed N] [--input-set NAME]

The last thing it does is to write one JSON line to the descriptor named by KW_RESULT_FD (stdout without it):
    {"ok": true, "torch": "2.11.0", "notes": [...]}
    {"ok": false, "message": "...", "file": "model.py", "line": 12}
Whatever the user's module prints goes to stderr.
"""

import argparse
import importlib.util
import json
import os
import random
import sys
import traceback


class Refused(Exception):
    """A cause that the user can mend; `error` is the exception behind it, if there is one."""

    def __init__(self, message, error=None):
        super().__init__(message)
        self.error = error


def line_of(error, model_file):
    """The innermost line of the user's file in the error's traceback, else the innermost line outside torch."""
    folder = os.path.dirname(model_file)
    found = (None, None)
    for frame in traceback.extract_tb(error.__traceback__) if error else []:
        path = os.path.abspath(frame.filename)
        if path == model_file or (path.startswith(folder + os.sep) and "site-packages" not in path):
            found = (path, frame.lineno)
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno
    return found


def first_line(error):
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def load_module(path):
    spec = importlib.util.spec_from_file_location("kw_user_model", path)
    if spec is None:
        raise Refused("this is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules["kw_user_model"] = module
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        raise Refused(f"the module cannot be imported: {first_line(error)}", error) from error
    return module


def call(function, name, *arguments, **named):
    try:
        return function(*arguments, **named)
    except BaseException as error:   # sys.exit() in a user's module is a failure like any other
        raise Refused(f"{name} raised {first_line(error)}", error) from error


def named_inputs(module, name):
    """One of the sets in INPUT_SETS, or of the dict that get_input_sets() returns: inputs, or a function that makes them."""
    if hasattr(module, "get_input_sets"):
        sets = call(module.get_input_sets, "get_input_sets()")
    else:
        sets = getattr(module, "INPUT_SETS", {})
    if not isinstance(sets, dict):
        raise Refused(f"the module's input sets are of type {type(sets).__name__}, a dict of named sets was expected")
    if name not in sets:
        raise Refused(f"no input set '{name}'; the module has {', '.join(map(str, sets)) or 'none'}")
    return call(sets[name], f"input set '{name}'") if callable(sets[name]) else sets[name]


def build(module, input_set):
    """The model in eval mode and its positional and keyword inputs."""
    import torch

    if hasattr(module, "get_model") and hasattr(module, "get_inputs"):
        maker, model = "get_model()", call(module.get_model, "get_model()")
    elif hasattr(module, "Model") and hasattr(module, "get_inputs"):
        arguments = call(module.get_init_inputs, "get_init_inputs()") if hasattr(module, "get_init_inputs") else []
        maker = "Model(...)"
        model = call(module.Model, maker, **arguments) if isinstance(arguments, dict) else call(module.Model, maker, *arguments)
    else:
        raise Refused("the module defines neither get_model() and get_inputs(), nor Model, get_init_inputs() and get_inputs()")
    if not isinstance(model, torch.nn.Module):
        raise Refused(f"{maker} returned {type(model).__name__}, a torch.nn.Module was expected")
    inputs = call(module.get_inputs, "get_inputs()") if input_set is None else named_inputs(module, input_set)
    model = call(model.eval, "eval()")
    if isinstance(inputs, dict):
        return model, (), inputs
    return model, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}


def program_of(model, positional, named):
    """The exported program. The model is run only where the export fails, to tell a fault of the model's from one of the
    exporter's: a run would change the buffers and inputs that the model writes, and those are saved with it."""
    import torch

    with torch.no_grad():
        try:
            return torch.export.export(model, positional, named)
        except BaseException as error:
            call(model, "the model's forward", *positional, **named)
            raise Refused(f"torch.export cannot export this model: {first_line(error)}", error) from error


def export(path, out, seed, input_set):
    try:
        import torch
    except ImportError as error:
        raise Refused(f"this Python ({sys.executable}) has no torch; name another with --python", error) from error
    if not hasattr(torch, "export"):
        raise Refused(f"torch {torch.__version__} of this Python ({sys.executable}) has no torch.export; torch 2.11 is what Kernelwright reads")
    random.seed(seed)
    torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    program = program_of(*build(load_module(path), input_set))
    try:
        torch.export.save(program, out)
    except BaseException as error:
        raise Refused(f"the exported model cannot be saved to {out}: {first_line(error)}", error) from error
    return {"ok": True, "torch": torch.__version__, "notes": []}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input-set")
    options = parser.parse_args()
    result = os.fdopen(int(os.environ["KW_RESULT_FD"]), "w") if "KW_RESULT_FD" in os.environ else os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    path = os.path.abspath(options.model)
    try:
        answer = export(path, options.out, options.seed, options.input_set)
    except Refused as refused:
        file, line = line_of(refused.error, path)
        answer = {"ok": False, "message": str(refused), "file": file or path, "line": line or 0}
    except BaseException as error:
        answer = {"ok": False, "message": f"the exporter failed: {first_line(error)}", "file": path, "line": 0}
    result.write(json.dumps(answer) + "\n")
    result.flush()
    os._exit(0 if answer["ok"] else 2)   # threads that the user's module started do not keep the process


if __name__ == "__main__":
    main()
