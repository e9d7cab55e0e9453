"""Exports small models that between them reach what real ones hold, and runs each as Python would:

    intake_zoo.py OUT_DIR [MODEL.py …]

For each model OUT_DIR gets NAME.pt2 and NAME.threads1.pt, NAME.threads2.pt with the outputs of torch's own run of the
archive. MODEL.py files are exported too. Cases with wrong archives and wrong inputs come from `broken`.
"""

import json
import pathlib
import sys
import zipfile

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources" / "python"))
import kw_export  # noqa: E402


class Case(nn.Module):
    inputs = ()


class Convolutions(Case):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, padding=1, stride=2)
        self.n = nn.BatchNorm2d(8)
        self.b = nn.ConvTranspose2d(8, 4, 2, stride=2, groups=2)
        self.g = nn.GroupNorm(2, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.act(self.n(self.a(x)))
        z = F.max_pool2d(F.silu(self.g(self.b(y))), 2, ceil_mode=True)
        return F.adaptive_avg_pool2d(z, 1).flatten(1), F.interpolate(z, scale_factor=2, mode="bilinear"), F.avg_pool2d(z, 3, 2)


class TrainingBatchNorm(Case):
    """Writes its running statistics: `running_mean` carries no mark of that in batch_norm's schema."""

    def __init__(self):
        super().__init__()
        self.n = nn.BatchNorm1d(6)

    def forward(self, x):
        return self.n(x)

    def eval(self):
        return self.train(True)


class BFloat16(Case):
    """bfloat16 weights, in-place operators, several outputs, non-contiguous views."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(16, 24).to(torch.bfloat16)
        self.norm = nn.LayerNorm(24).to(torch.bfloat16)

    def forward(self, x):
        y = self.l(x.t())
        y.mul_(0.5).add_(1)
        z = self.norm(y)
        a, b, c = z.chunk(3, dim=-1)
        b[:, ::2] = 0
        return a.t(), b.float().softmax(-1), (c.transpose(0, 1) @ a).relu_(), z[1:, ::3]


class Half(Case):
    def forward(self, x, y):
        return (x * y).sum(-1), torch.tanh(x).mean(), F.gelu(x, approximate="tanh") / (y.abs() + 1)


class Buffers(Case):
    """Writes a buffer and reads it again through an alias."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3, dtype=torch.int64))
        self.register_buffer("state", torch.arange(6.0).reshape(2, 3))

    def forward(self, x):
        row = self.state[0]
        self.state.mul_(2)
        self.count += 1
        return row + x, self.state, self.count * 3


class WritesInput(Case):
    def forward(self, x, y):
        x.add_(y)
        view = x.view(-1)
        view[::2] *= 3
        return x, view.sum(), y


class Attention(Case):
    def __init__(self):
        super().__init__()
        self.m = nn.MultiheadAttention(16, 4, dropout=0.3, batch_first=True)
        self.d = nn.Dropout(0.4)

    def forward(self, x, mask):
        y, w = self.m(x, x, x)
        q = y.view(2, 5, 4, 4).transpose(1, 2)
        return self.d(y), w, F.scaled_dot_product_attention(q, q, q, attn_mask=mask), F.scaled_dot_product_attention(q, q, q, is_causal=True)


class Recurrent(Case):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(16, 5)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.gru(y)[0], h, c


class Tokens(Case):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(50, 8, padding_idx=0)
        self.bag = nn.EmbeddingBag(50, 8, mode="mean")

    def forward(self, ids, offsets):
        x = self.e(ids)
        mask = torch.tril(torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool))
        scores = (x @ x.transpose(1, 2)).masked_fill(~mask, float("-inf"))
        return scores.softmax(-1), self.bag(ids.reshape(-1), offsets), ids.eq(3), F.one_hot(ids, 50).sum(1)


class Indexing(Case):
    def forward(self, x, i):
        y = x.clone()
        y[i, 1] = 7.0
        values, where = x.topk(2, dim=1)
        return (x[:, i], x.gather(1, i.expand(4, 3)), y, values, where, x.sort(dim=0, descending=True)[1], x.argmax(1),
                torch.where(x > 0, x, -x), x.index_select(0, i), x.scatter(1, i.expand(4, 3), 2.0), x.roll(1, 0), x.flip(0))


class Reductions(Case):
    def forward(self, x):
        return (x.var(1), x.std(), x.amax((0, 2)), x.prod(-1), x.cumsum(1), x.logsumexp(-1), x.norm(dim=2), x.mean((0, 1)), x.any(),
                F.log_softmax(x, 1), x.median(2)[0], torch.linalg.vector_norm(x, 3.0), x.sum(dtype=torch.float64), x.bool().all(0))


class Shapes(Case):
    def forward(self, x):
        a, b = torch.split(x, [2, 4], dim=1)
        u = x.unbind(0)
        return (torch.cat([a, b, a], 1), torch.stack(u, -1), F.pad(x, (1, 2), value=3.0), F.pad(x, (1, 1), mode="reflect"), x.unfold(2, 2, 1),
                x.expand(2, 3, 6, 4), x.as_strided((2, 3), (1, 2), 1), x.permute(2, 0, 1).contiguous(), x.repeat(1, 2, 1), x.tile(2),
                torch.einsum("bij,bkj->bik", x, x), torch.meshgrid(x[0, 0], x[1, 1], indexing="ij")[1], x.squeeze(0).unsqueeze(-1))


class Numbers(Case):
    """Python numbers where the schema wants tensors, and factories that follow the default type."""

    def forward(self, x, i):
        t = torch.arange(5) / 2
        return (x * 2, 3 - x, x.pow(2), 2.0**x, x // 2, x % 3, i / 2, i // 2, i * 1.5, t + torch.full((5,), 2), torch.zeros(2), torch.eye(3),
                torch.linspace(0, 1, 7), torch.arange(0, 1, 0.25), i.float().rsqrt(), x.clamp(min=0.1), torch.addcmul(x, x, x, value=0.3), i.bitwise_and(3))


class Spectral(Case):
    def forward(self, x):
        f = torch.fft.rfft(x)
        return f.abs(), torch.fft.irfft(f * f.conj(), n=8), torch.view_as_real(f), f.conj()


class Keywords(Case):
    def forward(self, x, *, scale=None, pair=None):
        return {"y": x * scale, "z": pair[0] - pair[1], "none": None, "number": x.shape[0]}


class Random(Case):
    """Draws at random from seed 0."""

    def forward(self, x):
        return torch.rand_like(x) + F.dropout(x, 0.5, training=True), torch.randn(3)


class Growing(Case):
    """A dynamic dimension, specialised to the example."""

    def forward(self, x):
        return x.reshape(x.shape[0] // 2, -1) * x.shape[0], torch.zeros(x.shape[0] + 1), x.mean() * (x.shape[0] * 0.5)


class Linear(Case):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 96), nn.Linear(96, 64)
        self.b.weight = nn.Parameter(self.a.weight.t().clone())
        self.tied = self.a.weight

    def forward(self, x):
        return self.b(F.elu(self.a(x))) + F.linear(x, self.tied).sum(-1, keepdim=True)


def cases():
    g = torch.Generator().manual_seed(1)
    r = lambda *s: torch.randn(*s, generator=g)
    ids = torch.randint(0, 50, (2, 7), generator=g)
    yield "convolutions", Convolutions(), (r(2, 3, 17, 19),), {}
    yield "convolutions_channels_last", Convolutions(), (r(2, 3, 17, 19).to(memory_format=torch.channels_last),), {}
    yield "training_batch_norm", TrainingBatchNorm(), (r(4, 6),), {}
    yield "bfloat16", BFloat16(), (r(16, 6).to(torch.bfloat16),), {}
    yield "half", Half(), (r(5, 33).half(), r(5, 33).half()), {}
    yield "buffers", Buffers(), (r(3),), {}
    yield "writes_input", WritesInput(), (r(3, 5), r(5)), {}
    yield "attention", Attention(), (r(2, 5, 16), r(2, 4, 5, 5)), {}
    yield "recurrent", Recurrent(), (r(4, 3, 6),), {}
    yield "tokens", Tokens(), (ids, torch.tensor([0, 4, 9])), {}
    yield "indexing", Indexing(), (r(4, 5), torch.tensor([2, 0, 1])), {}
    yield "reductions", Reductions(), (r(3, 5, 7),), {}
    yield "shapes", Shapes(), (r(3, 6, 4),), {}
    yield "numbers", Numbers(), (r(4, 3).abs() + 0.1, torch.tensor([1, 5, 6])), {}
    yield "spectral", Spectral(), (r(3, 8),), {}
    yield "keywords", Keywords(), (r(3, 2),), {"scale": torch.tensor(2.5), "pair": (r(4), r(4))}
    yield "random", Random(), (r(6, 6),), {}
    yield "linear", Linear(), (r(33, 64),), {}


def run(path, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    program = torch.export.load(path)
    # Small products of MKL round differently with the address of their operands. Loaded weights lie where the archive's
    # bytes happen to lie; those of a module that was just exported are aligned as torch allocates.
    for name, tensor in list(program.state_dict.items()):
        program.state_dict[name] = tensor.clone() if not isinstance(tensor, nn.Parameter) else nn.Parameter(tensor.detach().clone(), requires_grad=False)
    positional, named = program.example_inputs
    with torch.inference_mode():
        outputs = program.module()(*positional, **named)
    return tuple(leaf.resolve_conj() for leaf in torch.utils._pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor))


def keep(out, name, program):
    path = out / f"{name}.pt2"
    torch.export.save(program, path)
    for threads in (1, 2):
        torch.save(run(path, threads), out / f"{name}.threads{threads}.pt")


def edited(source, target, change):
    """The archive with its models/model.json (as an object) or any entry's bytes changed by `change(name, bytes)`."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))


def with_operator(operator):
    def change(name, data):
        if not name.endswith("models/model.json"):
            return data
        program = json.loads(data)
        program["graph_module"]["graph"]["nodes"][0]["target"] = operator
        return json.dumps(program).encode()
    return change


def broken(out):
    good = out / "half.pt2"
    edited(good, out / "broken_namespace.pt2", with_operator("torch.ops.mylib.fancy.default"))
    edited(good, out / "broken_refused.pt2", with_operator("torch.ops.aten.from_file.default"))
    edited(good, out / "broken_unknown.pt2", with_operator("torch.ops.aten.no_such_operator.default"))
    torch.save((torch.randn(5, 33).half(),), out / "inputs_too_few.pt")
    torch.save((torch.randn(5, 34).half(), torch.randn(5, 33).half()), out / "inputs_shape.pt")
    torch.save((torch.randn(5, 33), torch.randn(5, 33).half()), out / "inputs_dtype.pt")
    g = torch.Generator().manual_seed(7)
    mine = (torch.randn(5, 33, generator=g).half(), torch.randn(5, 33, generator=g).half())
    torch.save(mine, out / "inputs_good.pt")
    torch.set_num_threads(1)
    with torch.inference_mode():
        torch.save(Half()(*mine), out / "inputs_good.outputs.pt")
    (out / "no_functions.py").write_text("x = 1\n")
    (out / "raises.py").write_text("import torch\n\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x @ x\n\n"
                                   "def get_model():\n    return M()\n\ndef get_inputs():\n    return [torch.zeros(2, 3)]\n")
    (out / "task.py").write_text("import torch\n\nclass Model(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
                                 "        self.w = torch.nn.Linear(n, n)\n\n    def forward(self, x):\n        return torch.relu(self.w(x))\n\n"
                                 "def get_init_inputs():\n    return [8]\n\ndef get_inputs():\n    return [torch.ones(3, 8)]\n")


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    with torch.no_grad():
        for name, model, positional, named in cases():
            keep(out, name, torch.export.export(model.eval(), positional, named))
        keep(out, "growing", torch.export.export(Growing(), (torch.randn(6, 4),), dynamic_shapes=({0: 2 * torch.export.Dim("half", min=1, max=32)},)))
        keep(out, "decomposed_buffers", torch.export.export(Buffers(), (torch.randn(3),)).run_decompositions())
        keep(out, "decomposed_convolutions", torch.export.export(Convolutions().eval(), (torch.randn(2, 3, 17, 19),)).run_decompositions())
        for file in sys.argv[2:]:
            torch.manual_seed(0)
            model, positional, named = kw_export.build(kw_export.load_module(file), None)
            keep(out, pathlib.Path(file).stem, torch.export.export(model, positional, named))
    broken(out)


if __name__ == "__main__":
    main()
