"""unbundle.py BUNDLE [TARGET FILE]: prints the targets of a bundle of code objects; exits with 1 if a target's code is not
the contents of the file."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
assert data.startswith(b"__CLANG_OFFLOAD_BUNDLE__"), data[:24]
at, found = 32, {}
for _ in range(*struct.unpack_from("<Q", data, 24)):
    offset, size, length = struct.unpack_from("<3Q", data, at)
    found[data[at + 24:at + 24 + length].decode()] = data[offset:offset + size]
    at += 24 + length
print(*found, sep="\n")
sys.exit(len(sys.argv) > 2 and found[sys.argv[2]] != open(sys.argv[3], "rb").read())
