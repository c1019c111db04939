"""Mathematical functions with the C library's 64-bit mantissa, and errors measured with them: references.c, which takes a C compiler."""

import ctypes
import pathlib
import shutil
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
KEYS = ["ulp", "subnormal", "absolute", "nan"]


def plain(function):
    return function.removeprefix("tl.")


class CReferences:
    """references.c. Numbers come as NumPy's arrays."""
    class Errors(ctypes.Structure):
        _fields_ = [(key, ctypes.c_double) for key in KEYS[:3]] + [("nan", ctypes.c_int64)] + [
            (key + "At", ctypes.c_int64) for key in KEYS]

    def __init__(self, folder):
        self.library = ctypes.CDLL(str(folder / "references.so"))

    @staticmethod
    def build(folder):
        """False, with the reason printed, without a C compiler that has a wide long double."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            print("a C compiler was not found", file=sys.stderr)
            return False
        done = subprocess.run([compiler, "-O2", "-shared", "-fPIC", HERE / "references.c", "-o",
                               folder / "references.so", "-lm"], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
        return done.returncode == 0

    def has(self, function):
        return bool(self.library.hasReference(plain(function).encode()))

    @staticmethod
    def address(array):
        return ctypes.c_void_p(array.ctypes.data)

    def evaluate(self, function, x, y):
        x, y = (np.ascontiguousarray(v, np.float64) for v in (x, y))
        result = np.empty_like(x)
        self.library.evaluate(plain(function).encode(), self.address(x), self.address(y), self.address(result),
                              ctypes.c_int64(x.size))
        return result

    def measure(self, function, x, y, results):
        """Rows as in the table, without what the arguments are."""
        found = (self.Errors * len(results))(*[self.Errors(0, 0, 0, 0, -1, -1, -1, -1) for _ in results])
        pointers = (ctypes.c_void_p * len(results))(*[r.ctypes.data for r in results])
        self.library.measure(plain(function).encode(), self.address(x), self.address(y), pointers, found,
                             ctypes.c_int64(len(results)), ctypes.c_int64(x.size), ctypes.c_int64(0))
        return [{key: [getattr(row, key), getattr(row, key + "At")] for key in KEYS} for row in found]
