"""Writes random kernels with the results that CPython computes for them.

    python3 generate.py SEED COUNT FOLDER

Each file holds the number of runs, one line a run (n, 16 inputs, 36 outputs), and the kernel. The programs use every
kind of control flow on small non-negative integers, where Python and the kernel language agree.
"""

import random
import sys


class Generator:
    """Makes one program."""

    def __init__(self, rng):
        self.rng = rng
        self.loops = 0
        self.lines = []
        self.helpers = []

    def write(self, indent, text):
        self.lines.append("    " * indent + text)

    def expression(self, names, depth=0):
        rng, kind = self.rng, self.rng.random()
        sub = lambda: self.expression(names, depth + 1)
        if depth > 2 or kind < 0.3:
            return rng.choice(names)
        if kind < 0.45:
            return str(rng.randint(0, 9))
        if kind < 0.55:
            return f"tl.load(p + ({sub()} & 15))"
        if kind < 0.62 and self.helpers:
            return f"{rng.choice(self.helpers)}(p, {sub()} & 63, {sub()} & 63)"
        if kind < 0.7:
            return f"({sub()} if {self.condition(names, depth + 1)} else {sub()})"
        if kind < 0.8:
            return f"({sub()} & 255) {rng.choice(['//', '%'])} (({sub()} & 7) + 1)"
        return f"(({sub()} {rng.choice('+-*^|')} {sub()}) & 1023)"

    def condition(self, names, depth=0):
        rng, kind = self.rng, self.rng.random()
        if depth > 2 or kind < 0.6:
            operator = rng.choice(["<", ">", "==", "!=", "<=", ">="])
            return f"{self.expression(names, depth + 1)} {operator} {self.expression(names, depth + 1)}"
        if kind < 0.9:
            return f"({self.condition(names, depth + 1)} {rng.choice(['and', 'or'])} {self.condition(names, depth + 1)})"
        return f"(not ({self.condition(names, depth + 1)}))"

    def block(self, indent, names, depth, in_loop, helper):
        for _ in range(self.rng.randint(1, 4)):
            self.statement(indent, names, depth, in_loop, helper)

    def statement(self, indent, names, depth, in_loop, helper):
        rng, kind = self.rng, self.rng.random()
        targets = [name for name in names if name[0] not in "iw"]
        if depth > 3:
            kind *= 0.4
        if kind < 0.3 or (kind < 0.46 and helper):
            return self.write(indent, f"{rng.choice(targets)} = ({self.expression(names)}) & 1023")
        if kind < 0.36:
            first, second = rng.sample(targets, 2)
            return self.write(indent, f"{first}, {second} = ({self.expression(names)}) & 1023, ({first} + 1) & 1023")
        if kind < 0.46:
            return self.write(indent, f"tl.store(q + ({self.expression(names)} & 31), {self.expression(names)})")
        if kind < 0.66:
            self.write(indent, f"if {self.condition(names)}:")
            self.block(indent + 1, names, depth + 1, in_loop, helper)
            if rng.random() < 0.3:
                self.write(indent, f"elif {self.condition(names)}:")
                self.block(indent + 1, names, depth + 1, in_loop, helper)
            if rng.random() < 0.4:
                self.write(indent, "else:")
                self.block(indent + 1, names, depth + 1, in_loop, helper)
            return
        if kind < 0.82:
            leave = rng.choice(["break", "continue"]) if in_loop and kind < 0.76 else "return"
            if leave == "return" and helper:
                leave = f"return ({self.expression(names)}) & 1023"
            self.write(indent, f"if {self.condition(names)}:")
            if rng.random() < 0.5:
                self.block(indent + 1, names, depth + 2, in_loop, helper)
            return self.write(indent + 1, leave)
        self.loops += 1
        if kind < 0.9:
            name = f"i{self.loops}"
            bounds = rng.choice([
                "range(n & 7)", f"range({rng.randint(0, 6)})", f"range(({self.expression(names)}) & 3)",
                f"range({rng.randint(0, 6)}, {rng.choice(['-1', '0', 'n & 3'])}, -{rng.randint(1, 3)})",
                f"tl.static_range({rng.randint(0, 3)})"
            ])
            self.write(indent, f"for {name} in {bounds}:")
        else:
            name = f"w{self.loops}"
            extra = f" and {self.condition(names)}" if rng.random() < 0.7 else ""
            self.write(indent, f"{name} = 0")
            self.write(indent, f"while {name} < {rng.randint(1, 6)}{extra}:")
            self.write(indent + 1, f"{name} += 1")
        self.block(indent + 1, names + [name], depth + 1, True, helper)

    def program(self):
        for index in range(self.rng.randint(0, 2)):
            self.write(0, f"@triton.jit\ndef h{index}(p, x, y):")
            self.write(1, "z = 3\n    n = x + 1")
            self.block(1, ["x", "y", "z", "n"], 1, False, True)
            self.write(1, f"return ({self.expression(['x', 'y', 'z'])}) & 1023")
            self.helpers.append(f"h{index}")
        self.write(0, "@triton.jit\ndef kernel(p, q, n):")
        for name in "abcd":
            self.write(1, f"{name} = {self.rng.randint(0, 20)}")
        self.block(1, ["a", "b", "c", "d", "n"], 0, False, False)
        self.block(1, ["a", "b", "c", "d", "n"], 0, False, False)
        for index, name in enumerate("abcd"):
            self.write(1, f"tl.store(q + {32 + index}, {name})")
        return "\n".join(self.lines) + "\n"


class Pointer:
    def __init__(self, memory, offset=0):
        self.memory, self.offset = memory, offset

    def __add__(self, count):
        return Pointer(self.memory, self.offset + count)


class TooLong(Exception):
    pass


class tl:
    """The language's memory and loops, over lists."""
    loads = 0
    static_range = range

    @staticmethod
    def load(pointer):
        tl.loads += 1
        if tl.loads > 20000:
            raise TooLong
        return pointer.memory[pointer.offset]

    @staticmethod
    def store(pointer, value):
        pointer.memory[pointer.offset] = int(value)


class triton:
    jit = staticmethod(lambda function: function)


def main(seed, count, folder):
    made = 0
    while made < count:
        seed += 1
        rng = random.Random(seed)
        text = Generator(rng).program()
        if not 500 < len(text) < 4000:
            continue
        runs = []
        try:
            for n in (0, 1, 5, 13):
                inputs, outputs = [rng.randint(0, 30) for _ in range(16)], [-1] * 36
                names = {"tl": tl, "triton": triton}
                tl.loads = 0
                exec(text, names)
                names["kernel"](Pointer(inputs), Pointer(outputs), n)
                runs.append(" ".join(map(str, [n] + inputs + outputs)))
        except TooLong:
            continue
        with open(f"{folder}/{made:02}.txt", "w") as file:
            file.write(f"{len(runs)}\n" + "\n".join(runs) + "\n" + text)
        made += 1


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
