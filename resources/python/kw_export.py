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


def call(module, name, *arguments):
    try:
        return getattr(module, name)(*arguments)
    except BaseException as error:
        raise Refused(f"{name}() raised {first_line(error)}", error) from error


def build(module, input_set):
    """The model in eval mode and its positional and keyword inputs."""
    if hasattr(module, "get_model") and hasattr(module, "get_inputs"):
        model = call(module, "get_model")
        sets = getattr(module, "INPUT_SETS", None) or {}
        if input_set is None:
            inputs = call(module, "get_inputs")
        elif input_set in sets:
            made = sets[input_set]
            inputs = made() if callable(made) else made
        else:
            raise Refused(f"no input set '{input_set}'; INPUT_SETS has {sorted(sets) or 'nothing'}")
    elif hasattr(module, "Model") and hasattr(module, "get_inputs"):
        arguments = call(module, "get_init_inputs") if hasattr(module, "get_init_inputs") else []
        try:
            model = module.Model(*arguments) if not isinstance(arguments, dict) else module.Model(**arguments)
        except BaseException as error:
            raise Refused(f"Model(...) raised {first_line(error)}", error) from error
        inputs = call(module, "get_inputs")
    else:
        raise Refused("the module defines neither get_model() and get_inputs(), nor Model, get_init_inputs() and get_inputs()")
    if isinstance(inputs, dict):
        return model.eval(), (), inputs
    return model.eval(), tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}


def export(path, out, seed, input_set):
    try:
        import torch
    except ImportError as error:
        raise Refused(f"this Python ({sys.executable}) has no torch; name another with --python", error) from error
    random.seed(seed)
    torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    module = load_module(path)
    model, positional, named = build(module, input_set)
    if not isinstance(model, torch.nn.Module):
        raise Refused(f"get_model() returned {type(model).__name__}, a torch.nn.Module was expected")
    try:
        with torch.no_grad():
            model(*positional, **named)
    except BaseException as error:
        raise Refused(f"the model's forward raised {first_line(error)}", error) from error
    try:
        with torch.no_grad():
            program = torch.export.export(model, positional, named)
        torch.export.save(program, out)
    except BaseException as error:
        raise Refused(f"torch.export cannot export this model: {first_line(error)}", error) from error
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
    result.write(json.dumps(answer) + "\n")
    result.flush()
    os._exit(0 if answer["ok"] else 2)   # threads that the user's module started do not keep the process


if __name__ == "__main__":
    main()
