"""Runs every command that writes JSON with paths, variables and a plugin's words that are not
UTF-8: each must write JSON, with U+FFFD for other bytes. Arguments: the command, the kernels' file,
the faulty plugins' folder, an empty folder."""

import json
import os
import shutil
import subprocess
import sys

command, kernels, faulty, folder = sys.argv[1:]
here = os.fsencode(folder) + b"/bytes\xff\xfe"
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(here)
plugin = here + b"/libtilerun-bytes\xff.so"
shutil.copy(os.path.join(faulty, "libtilerun-not-utf8.so"), plugin)
source = here + b"/kernels.py"
shutil.copy(kernels, source)
with open(here + b"/bad.py", "wb") as bad:
    bad.write(b"import triton\n\n@triton.jit\ndef k(x):\n    undefined_name\n")
with open(here + b"/manifest.json", "w") as manifest:
    json.dump({"entries": [{"name": "add", "file": "kernels.py", "kernel": "add", "grid": "2", "shape": "100",
                            "arguments": ["x=f32[100]:ones", "y=f32[100]:ones", "out=f32[100]:empty", "n=100", "BLOCK=64"],
                            "expect": ["out=x + y"], "flagship": True}]}, manifest)
environment = {**os.environb, b"TILERUN_PLUGIN_PATH": here, b"TILERUN_CACHE_DIR": here + b"/cache",
               b"TILERUN_\xffVARIABLE": b"\xff"}
add = [source + b"::add", b"x=f32[100]:ones", b"y=f32[100]:ones", b"out=f32[100]:empty", b"n=100", b"BLOCK=64", b"--grid", b"2"]


def run(code, *words):
    done = subprocess.run([os.fsencode(command), *words, b"--json"], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    said = words, done.returncode, done.stdout[-2000:], done.stderr[-2000:]
    assert done.returncode == code, said
    try:
        found = json.loads(done.stdout.decode())
    except ValueError as error:
        raise AssertionError(said) from error
    assert words[0] == b"demo" or "\ufffd" in json.dumps(found, ensure_ascii=False), said
    print(words[0].decode(), "ok")
    return found


devices = run(0, b"devices")["devices"]
assert any("the driver says \ufffd" in device.get("reason", "") for device in devices), devices
doctor = run(0, b"doctor")
assert doctor["environment"]["TILERUN_\ufffdVARIABLE"] == "\ufffd", doctor["environment"]
assert any(found["path"].endswith("libtilerun-bytes\ufffd.so") and found.get("version") == "1.0\ufffd" for found in doctor["plugins"])
run(0, b"plugin", b"check", plugin, b"--no-conformance")
run(0, b"list", source)
run(0, b"run", *add, b"--save", b"out=" + here + b"/out.npy", b"--print", b"out")
run(1, b"run", *add, b"--expect", b"out=x")
racy = run(1, b"check", source + b"::racy", b"out=i32[1]:zeros", b"--grid", b"4")
assert racy["reports"][0]["position"]["file"].endswith("bytes\ufffd\ufffd/kernels.py"), racy
run(3, b"check", here + b"/bad.py::k", b"x=i32[1]:zeros", b"--grid", b"1")
run(2, b"run", here + b"/nothing.py::k", b"--grid", b"1")
run(5, b"run", source + b"::add_unmasked", b"x=f32[1]:ones", b"out=f32[1]:ones", b"BLOCK=64", b"--grid", b"1")
run(0, b"compile", source + b"::add", b"--signature", b"x=*fp32, y=*fp32, out=*fp32, n=i32, BLOCK=64", b"-o", here + b"/add.mlir")
run(0, b"demo", b"--examples", here, b"--device", b"cpu")
run(0, b"cache", b"stat")
run(0, b"cache", b"verify")
run(0, b"cache", b"clear")
run(0, b"corpus", here)
