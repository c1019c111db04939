"""torch.compile in a script that was written for a GPU, under `python -m tilerun --cpu`: the script's tensors are on the GPU for the
traced code, too, results are eager's, and kernels run on the interpreter."""

import os
import subprocess
import sys

START = '''
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl
from tilerun.triton.compiler import CompiledKernel

loaded, plain = [], CompiledKernel._init_handles
CompiledKernel._init_handles = lambda self: (loaded.append(self), plain(self))[1]
torch.manual_seed(0)
x = torch.randn(8, 32, device="cuda")


def compare(function, *arguments, **options):
    torch._dynamo.reset()
    before = len(loaded)
    expected, found = function(*arguments), torch.compile(function, fullgraph=True, **options)(*arguments)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
    assert found.is_cuda and len(loaded) > before, (found.device, loaded)

'''


def run(tmp_path, text, *options):
    script = tmp_path / "script.py"
    script.write_text(START + text + "\nprint('done')\n")
    # Nothing from the caches of other runs: what they keep is not loaded again.
    environment = os.environ | {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor")}
    done = subprocess.run([sys.executable, "-m", "tilerun", "--cpu", *options, script], text=True, capture_output=True, env=environment)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout + done.stderr


def test_functions(tmp_path):
    run(tmp_path, '''
compare(lambda x: torch.sin(x) * 2 + x.softmax(-1), x)
compare(lambda x: x + torch.arange(32, device=x.device) + torch.zeros(32, device="cuda") + x.new_ones(32), x)
compare(lambda x: F.relu(x @ x.T) + torch.full((8, ), 2.0, device=x.device), x)
compare(lambda x: x.to("cuda").half().to(x.device).float() * 2, x)
compare(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True) + 1, torch.randn(1, 2, 16, 16, device="cuda"))
compare(lambda x: F.silu(F.conv2d(x, torch.ones(2, 3, 3, 3, device=x.device))), torch.randn(1, 3, 8, 8, device="cuda"))
compare(lambda x, number: x * number, x, torch.tensor(2.0))
compare(lambda x: x.cumsum(-1) - x.mean(), x, dynamic=True)
''')


def test_traced_code_asks_where_its_tensors_are(tmp_path):
    run(tmp_path, '''
def ask(x):
    assert x.is_cuda and x.device.type == "cuda" and x.get_device() == 0
    return x * 2 if x.device == torch.device("cuda", 0) and torch.cuda.is_available() else x


compare(ask, x)
with torch.cuda.stream(torch.cuda.Stream()):
    compare(ask, x)
''')


def test_kernels_of_the_script(tmp_path):
    run(tmp_path, '''
@triton.jit
def add_kernel(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, i < n) + tl.load(b + i, i < n), i < n)


def add(a, b):
    assert a.is_cuda and b.is_cuda
    c = torch.empty_like(a)
    add_kernel[(triton.cdiv(a.numel(), 64), )](a, b, c, a.numel(), BLOCK=64)
    return c


compare(lambda x: add(x, x + 1) * 2, x)
''')


def test_training_and_autocast(tmp_path):
    run(tmp_path, '''
import copy
model = nn.Sequential(nn.Linear(32, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).cuda()
other, targets = copy.deepcopy(model), torch.randint(0, 4, (8, ), device="cuda")


def train(model, forward):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = F.cross_entropy(forward(x), targets)
        loss.backward()
        optimizer.step()
    return loss.detach()


torch.testing.assert_close(train(model, torch.compile(model)), train(other, other))
for found, expected in zip(model.parameters(), other.parameters()):
    assert found.is_cuda and found.grad.is_cuda
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)
assert len(loaded) > 2


def product(x):
    with torch.autocast("cuda", torch.bfloat16):
        return x.sin() @ x.T


found = torch.compile(product)(x)
assert found.dtype == torch.bfloat16
torch.testing.assert_close(found, product(x), rtol=2e-2, atol=2e-2)
''')


def test_scripts_that_handle_the_absence_of_a_gpu(tmp_path):
    run(tmp_path, '''
assert not x.is_cuda and not torch.cuda.is_available()
found = torch.compile(lambda x: x.sin() + torch.ones(32, device="cuda"))(x)
torch.testing.assert_close(found, x.sin() + 1)
assert loaded
''', "--no-pretend")
