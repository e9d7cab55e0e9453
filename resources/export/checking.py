"""What loader.py needs beside the kernel: tensors as the plan describes them, the kernel in a module, the check against float64."""
import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool, "c64": torch.complex64,
          "c128": torch.complex128}


def empty(buffer, device):
    return torch.empty_strided(buffer["sizes"], buffer["strides"], dtype=DTYPES[buffer["dtype"]], device=device)


def checked(buffer, tensor, device, alignment=1):
    """The tensor, or a copy of it in the layout and at the alignment (in bytes) that the kernel reads."""
    if tensor.device != device or tensor.dtype != DTYPES[buffer["dtype"]] or list(tensor.shape) != buffer["sizes"]:
        raise ValueError(f"{buffer['name']}: this kernel takes {buffer['dtype']}{buffer['sizes']} on {device}, "
                         f"not {tensor.dtype} {list(tensor.shape)} on {tensor.device}")
    layout = all(size == 1 or have == want for size, have, want in zip(tensor.shape, tensor.stride(), buffer["strides"]))
    if layout and tensor.data_ptr() % alignment == 0:
        return tensor
    if any(stride == 0 and size > 1 for size, stride in zip(buffer["sizes"], buffer["strides"])):
        raise ValueError(f"{buffer['name']}: this kernel takes an expanded tensor with strides {buffer['strides']}, aligned to {alignment} bytes")
    return empty(buffer, device).copy_(tensor)


class KernelModule(torch.nn.Module):
    """The kernel as a module; `extra` are inputs that the caller does not pass (weights of the module it replaces)."""

    def __init__(self, kernel, *extra):
        super().__init__()
        self.kernel, self.extra = kernel, extra

    def forward(self, *tensors):
        return self.kernel(*tensors, *self.extra)


def replace(model, path, kernel, *extra):
    """model.path becomes the kernel; returns what stood there before."""
    parent, _, name = path.rpartition(".")
    owner = model.get_submodule(parent)
    before = getattr(owner, name)
    setattr(owner, name, KernelModule(kernel, *extra))
    return before


def draw(name, dtype, sizes, strides, domain, device, generator):
    base = torch.empty_strided(sizes, strides, dtype=dtype, device=device)
    storage = torch.as_strided(base, (base.untyped_storage().size() // max(base.element_size(), 1),), (1,), 0)
    if domain.startswith("index "):
        storage.copy_(torch.randint(0, int(domain.split()[1]), storage.shape, generator=generator))
    elif dtype.is_floating_point:
        values = torch.randn(storage.shape, generator=generator, dtype=torch.float64)
        storage.copy_(values.abs() + 0.1 if domain == "positive" else values)
    else:
        storage.copy_(torch.randint(0, 2 if dtype == torch.bool else 10, storage.shape, generator=generator))
    return base


def as_tuple(outputs):
    return outputs if isinstance(outputs, (tuple, list)) else (outputs,)


def error(value, truth):
    """Largest |x - t| / (|t| + rms(t)); infinite where one is NaN and the other is not."""
    value, truth = value.double(), truth.double()
    if truth.numel() == 0:
        return 0.0
    finite = truth[truth.isfinite()]
    rms = finite.square().mean().sqrt() if finite.numel() else torch.tensor(0.0)
    same = (value == truth) | (value.isnan() & truth.isnan())
    each = torch.where(same, torch.zeros_like(truth), (value - truth).abs() / (truth.abs() + rms))
    return each.nan_to_num(nan=float("inf")).max().item()


def check_outputs(got, wanted, truth):
    """Prints a line an output: the kernel's and PyTorch's own distance from float64."""
    right = True
    for i, (x, e, t) in enumerate(zip(got, wanted, truth)):
        eps = torch.finfo(e.dtype).eps if e.dtype.is_floating_point else 0
        allowed = max(4 * error(e, t), 4 * eps)
        ok = x.dtype == e.dtype and x.shape == e.shape and error(x, t) <= allowed
        right = right and ok
        print(f"output {i}: error {error(x, t):.3g}, eager's own {error(e, t):.3g}, allowed {allowed:.3g}: {'right' if ok else 'WRONG'}")
    return right


def check(kernel, task, device):
    """Runs the kernel and PyTorch on drawn inputs. Returns whether all is right, the task as a module, and the inputs."""
    generator = torch.Generator().manual_seed(1)
    inputs = [draw(*row, device, generator) for row in task.INPUTS]
    eager = task.Task()
    wanted = as_tuple(eager(*inputs))
    try:
        truth = as_tuple(eager(*[t.double() if t.is_floating_point() else t for t in inputs]))
    except RuntimeError:   # an operator of this task has no float64 form
        truth = wanted
    got = as_tuple(kernel(*inputs))
    right = check_outputs(got, wanted, truth)
    model = torch.nn.Sequential()
    model.add_module("task", eager)
    replace(model, "task", kernel)
    same = all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(as_tuple(model.task(*inputs)), got))
    print(f"inside a module: {'the same' if same else 'DIFFERENT'}")
    return right and same, eager, inputs
