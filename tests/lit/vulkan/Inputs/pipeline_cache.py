# Processes that share the cache of compiled kernels, with the driver's data for pipelines in it.
# Usage: pipeline_cache.py TILERUN KERNELS FOLDER DEVICE. Prints the result of each step.
import glob
import os
import subprocess
import sys

tilerun, kernels, folder, device = sys.argv[1:]
environment = dict(os.environ, TILERUN_CACHE_DIR=folder)
command = [tilerun, "run", kernels + "::add_kernel", "n=1000", "x_ptr=f32[n]:randn(1)", "y_ptr=f32[n]:randn(2)",
           "output_ptr=f32[n]:empty", "n_elements=n", "BLOCK_SIZE=256", "--grid", "cdiv(n, BLOCK_SIZE)",
           "--expect", "output_ptr=x_ptr + y_ptr", "--device", device]


def run(count):
    """Starts that many processes at once; the sum of their failures, and the lines of their warnings."""
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(count)]
    ended = [process.communicate() + (process.returncode,) for process in started]
    for out, err, code in ended:
        if code:
            print(out, err)
    warnings = [line for _, err, _ in ended for line in err.splitlines() if "warning" in line]
    return f"{sum(code != 0 for _, _, code in ended)} failures, {len(warnings)} warnings", warnings


def entries():
    return glob.glob(folder + "/v1/??/" + "?" * 62)


def verify():
    return subprocess.run([tilerun, "cache", "verify"], env=environment, capture_output=True, text=True).stdout.strip()


print("four at once:", run(4)[0], "-", len(entries()), "entries")
(entry,) = entries()
with open(entry, "rb") as file:
    whole = file.read()
print("final artifact:", b"tilerunV" in whole and b"vulkan:pipeline:" in whole)
times = os.stat(entry).st_ino
print("again:", run(2)[0], "- kept:", os.stat(entry).st_ino == times)

# In the cache's header, in its payload, in the driver's data at the end; cut off; empty.
for name, damaged in {"header": b"X" + whole[1:], "middle": whole[:len(whole) // 2] + b"XX" + whole[len(whole) // 2 + 2:],
                      "end": whole[:-1] + bytes([whole[-1] ^ 1]), "cut": whole[:len(whole) // 3], "empty": b""}.items():
    with open(entry, "wb") as file:
        file.write(damaged)
    result, warnings = run(2)
    told = all("damaged" in line or "bytes" in line or "header" in line or entry in line for line in warnings) and warnings
    print(f"damaged {name}:", result.split(",")[0], "- told:", bool(told), "- now:", verify())
