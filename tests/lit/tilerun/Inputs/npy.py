"""Writes .npy files, good and bad, without NumPy: npy.py KIND FILE."""

import struct
import sys


def npy(descr, shape, data, fortran=False, magic=b"\x93NUMPY", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return magic + bytes([version, 0]) + struct.pack("<H", len(header)) + header + data


floats = struct.pack("<4f", 1, 2, 3, 4)
kinds = {
    "floats": npy("<f4", (4,), floats),
    "big-endian": npy(">f4", (4,), struct.pack(">4f", 1, 2, 3, 4)),
    "fortran": npy("<f4", (2, 2), struct.pack("<4f", 1, 3, 2, 4), fortran=True),
    "bfloat16": npy("<V2", (4,), b"\x80\x3f\x00\x40\x40\x40\x80\x40"),
    "truncated": npy("<f4", (4,), floats[:-1]),
    "truncated-header": npy("<f4", (4,), floats)[:40],
    "objects": npy("|O", (4,), floats),
    "complex": npy("<c8", (2,), floats),
    "huge": npy("<f4", (1 << 62, 1 << 62), floats),
    "hostile": npy("<f4", "__import__('os').system('true')", floats),
    "not-npy": b"PK\x03\x04 this is a zip archive",
    "integers": npy("<i4", (4,), struct.pack("<4i", 1, 2, 3, 4)),
}
with open(sys.argv[2], "wb") as file:
    file.write(kinds[sys.argv[1]])
