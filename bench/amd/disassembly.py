"""What AMD assembly does, counted: the loops of a kernel by its backward branches, and the classes of
its instructions."""
import re

LABEL = re.compile(r"^([.\w$]+):")
INSTRUCTION = re.compile(r"^\s+([a-z][a-z0-9_]+)(?:\s+(.*?))?\s*(?:;.*)?$")
SHAPE = re.compile(r"_(\d+)x(\d+)x(\d+)")
LEAVES = ("s_endpgm", "s_branch", "s_setpc_b64", "s_trap")

CLASSES = {
    "matrix": re.compile(r"v_(mfma|smfmac|wmma|swmmac)_"),
    "VALU": re.compile(r"v_(?!mfma_|smfmac_|wmma_|swmmac_)"),
    "LDS reads": re.compile(r"ds_(read|load)"),
    "LDS writes": re.compile(r"ds_(write|store)"),
    "VMEM": re.compile(r"(global|buffer|flat|scratch)_(load|store|atomic)"),
    "waits": re.compile(r"s_wait"),
    "barriers": re.compile(r"s_barrier(_signal)?$"),
    "128-bit": re.compile(r"\w+_(b128|dwordx4)$"),
}


def read_blocks(assembly):
    """The function's basic blocks in order: [instructions as (mnemonic, operands), successors]."""
    names, blocks, label = {}, [[]], None
    for line in assembly.split("\n"):
        if found := LABEL.match(line):
            label = found[1]
            if label.startswith(".Lfunc_end"):
                break
            if label.startswith(".L"):
                blocks.append([])
                names[label] = len(blocks) - 1
            continue
        found = INSTRUCTION.match(line)
        if label is None or not found or not re.match(r"(s|v|ds|global|buffer|flat|scratch)_", found[1]):
            continue
        blocks[-1].append((found[1], found[2] or ""))
        if "branch" in found[1] or found[1] in LEAVES:
            blocks.append([])
    result = []
    for number, block in enumerate(blocks):
        successors = []
        last, target = block[-1] if block else ("", "")
        if "branch" in last:
            successors.append(names[target.strip()])
        if last not in LEAVES and number + 1 < len(blocks):
            successors.append(number + 1)
        result.append((block, successors))
    return result


def find_components(blocks, nodes):
    """The strongly connected components of the subgraph `nodes` that are loops."""
    def reach(start, edges):
        seen, open_ = set(), [start]
        while open_:
            for block in edges[open_.pop()]:
                if block in nodes and block not in seen:
                    seen.add(block)
                    open_.append(block)
        return seen

    forwards = [successors for _, successors in blocks]
    backwards = [[] for _ in blocks]
    for number, successors in enumerate(forwards):
        for successor in successors:
            backwards[successor].append(number)
    components = []
    for tail in sorted(nodes):
        # Every cycle has an edge that goes backwards in the text.
        if any(head in nodes and head <= tail for head in forwards[tail]):
            component = reach(tail, forwards) & reach(tail, backwards)
            if component and component not in components:
                components.append(component)
    return components


def find_loops(blocks, nodes=None):
    """The sets of blocks of all loops, outer ones before those inside of them."""
    loops = []
    for component in find_components(blocks, set(range(len(blocks))) if nodes is None else nodes):
        entries = {successor for number, (_, successors) in enumerate(blocks) if number not in component
                   for successor in successors if successor in component}
        loops += [component, *find_loops(blocks, component - (entries or {min(component)}))]
    return loops


def count(instructions):
    """How many instructions of each class there are, all of them, and the multiply-adds of matrix instructions."""
    counts = {name: sum(bool(pattern.match(mnemonic)) for mnemonic, _ in instructions)
              for name, pattern in CLASSES.items()}
    counts["all"] = len(instructions)
    counts["multiply-adds"] = 0
    for mnemonic, _ in instructions:
        if CLASSES["matrix"].match(mnemonic):
            m, n, k = map(int, SHAPE.search(mnemonic).groups())
            counts["multiply-adds"] += m * n * k
    return counts


def count_inner_loop(assembly):
    """Counts of the innermost loop with matrix instructions, or else of the longest innermost one; of the whole
    function where it has no loop. And which of the two it is."""
    blocks = read_blocks(assembly)
    loops = find_loops(blocks)
    innermost = [loop for loop in loops if not any(other < loop for other in loops)]

    def counts_of(numbers):
        return count([instruction for number in sorted(numbers) for instruction in blocks[number][0]])

    if not innermost:
        return counts_of(range(len(blocks))), False
    counts = [counts_of(loop) for loop in innermost]
    return max(counts, key=lambda each: (each["multiply-adds"], each["all"])), True


def main():
    import sys
    counts, is_loop = count_inner_loop(sys.stdin.read())
    print("inner loop:" if is_loop else "no loop:", ", ".join(f"{name} {number}" for name, number in counts.items()))


if __name__ == "__main__":
    main()
