"""bench/libraries/importing.py: files of packages are imported where `triton` is Tilerun, each failure is told, and none hides the next file."""

import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT

MODULES = {"good": "import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(x):\n    tl.store(x, 1)\n",
           "lacking": "import no_such_package\n", "dying": "import os\nos._exit(3)\n", "leaving": "import sys\nsys.exit('enough')\n",
           "sleeping": "import time\ntime.sleep(60)\n", "printing": "print('text')\nimport triton\nassert triton.__name__.startswith('tilerun')\n",
           "leaving_a_part": "import good\ngood.changed = True\nraise ValueError('half /a/path of 0x7f00')\n",
           "looking": "import good\nassert not hasattr(good, 'changed')\n"}


def test_files_are_imported(tmp_path):
    pytest.importorskip("torch")
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.path.join(os.environ["TILERUN_BUILD"], "python"), str(tmp_path)])}
    done = subprocess.run([sys.executable, "-m", "tilerun", "--cpu", os.path.join(ROOT, "bench", "libraries", "importing.py"), "3", "100"], text=True,
                          input="\n".join(MODULES), capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert dict(map(json.loads, done.stdout.splitlines())) == {
        "good": "", "lacking": "ModuleNotFoundError: No module named 'no_such_package'", "dying": "it ends the process", "leaving": "SystemExit: enough",
        "sleeping": "not after 3 s", "printing": "", "leaving_a_part": "ValueError: half … of …", "looking": ""}
