// The `sched` dialect: when and through which buffer a kernel's tiles move, as attributes of tile IR.
#ifndef TILERUN_IR_SCHEDULE_SCHEDULEATTRS_TD
#define TILERUN_IR_SCHEDULE_SCHEDULEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::tilerun::schedule";
  let summary = "Schedules of tile programs: which loads run ahead, through which buffers, by how many iterations";
  let description = [{
    Decisions about a kernel in tile IR, made by the passes `schedule-stages` (when), `schedule-roles` (by whom), `schedule-persist` (by how many
    programs), `schedule-stores` (which results are copied) and `schedule-allocate` (through how many slots) or written by hand, as attributes; and what the pass `schedule-expand` makes of
    them, as ops. The lowering to threads follows the ops and takes no such decision itself.

    | attribute | on | value | says |
    |---|---|---|---|
    | `sched.pipeline` | `scf.for` | `#sched.pipeline` | loads of later iterations run ahead into a ring of slots |
    | `sched.ring` | `tile.load` in the body of such a loop | `#sched.ring` | this load runs ahead, into slots of this form |
    | `sched.box` | such a load of a loop with `copies = boxes` | `#sched.box` | the tensor in global memory that it is a box of |
    | `sched.deferred` | `tile.dot` in the body of such a loop | unit | its instructions may still run when the next iteration begins |
    | `sched.stage` | `tile.dot` in the body of a loop with `copies = boxes` | i32 1 | it is made one iteration late, beside the next one's first product |
    | `sched.turns` | `tile.dot` | unit | its matrix instructions are a turn: of the warp, which goes before others of its SIMD unit meanwhile and has read operands before; or, beside late products, of the warp group |
    | `sched.role` | pipelined loops | `#sched.role` | warps beside the program's own fill the slots |
    | `sched.role_asked` | pipelined loops | `#sched.role` | a schedule by hand wants the role, and `schedule-roles` has not run yet |
    | `sched.by_hand` | pipelined loops | unit, or where it was written | this loop's schedule was written by hand: it is followed or refused, never replaced |
    | `sched.conversions` | the kernel, pipelined loops and what was before them, a producer | i64 | slots are allocated; bytes of shared memory that one conversion between layouts may take there |
    | `sched.persistent` | the kernel | unit | each launched program runs several of the caller's, one after the other |
    | `sched.fewer_warps` | the kernel | i64 | it may need more shared memory than the target has; with so many warps it would fit |
    | `sched.prefers` | the kernel | `#sched.prefers` | it is meant for launches with such arguments, and slower for others |

    `sched.cluster` is reserved for programs that share tiles: it says what no pass chooses yet, so the verifier refuses it.

    On an expanded kernel:

    | attribute | on | value | says |
    |---|---|---|---|
    | `sched.expanded` | the kernel | unit | loops with a schedule are ops |
    | `sched.registers` | the kernel | i64 | registers that a thread may have, by `schedule-rematerialize`; without it, the assembler chooses |
    | `sched.in_flight` | `tile.dot` | unit | its instructions may still run behind it, until a `sched.dot_wait` |

    What an address or a mask depends on is computed ahead, too: cheap arithmetic, and numbers that the loop loads from arguments
    that it does not write, such as the place of a block in a table. Of iterations past the end of the loop these are not read.

    A slot of a ring lives from the copy that fills it to the end of the iteration that reads it. So only products
    of the loop's body may read a slot, in the iteration of the load.

    ```mlir
    scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
      ...
      %a = tile.load %pa {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<64x32x!tile.ptr<f16>>
      %b = tile.load %pb {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x64x!tile.ptr<f16>>
      %d = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } {sched.conversions = 106496 : i64, sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
    ```

    The verifier checks what can be seen in the IR: that loops and loads belong together, that addresses can be
    computed ahead, that nothing writes what a load would read too early, that every slot is read while it is alive.
    Everything that depends on a target (whether it has asynchronous copies, how wide they are, whether the rings fit into its
    shared memory) is checked before the kernel is lowered: the attributes once they are whole, the ops once they are made
    (`ir/schedule/Check.h`). A pipeline of these passes alone does each of the two once; passes between them, and text, are not
    trusted.

    **Blocks.** With `num_ctas=n` a program is to run on n blocks of threads at a time, a cluster, each with shared memory and registers of its own. `schedule-blocks`, before layouts
    are chosen, divides a kernel if each block can compute a slice of the largest tensor that it writes without any other block. Which part of a value an op needs follows from the part of its result
    (`ir/schedule/BlockParts.h`): of a product's rows, rows of the first operand and all of the second one; of what is reduced along
    one dimension, slices along any other. What the parts do not depend on, such as the second operand, every block computes. A value
    that is loaded, multiplied, reduced or carried by a loop has one part; indices, addresses and masks may have several. Dimensions are tried in their order; of products a block keeps as many
    rows as its warps can share where possible, and as an instruction has in any case.

    Effects happen once: stores and atomics are divided, or done by the first block, which also prints. The grid and `tl.program_id` are the caller's: a launch starts n times as many
    blocks. Parts may be summed in another order than the whole; nothing else about results changes. Where a kernel cannot be divided, where blocks would have too little to do or the target has no clusters, each
    program runs on one block (the remark `program-not-divided`). Different pointer arguments are taken not to overlap, as everywhere; a kernel that reads what it
    writes, stores in a loop or twice to one argument is left as it is, because blocks do not wait for each other. Each block's threads are `num_warps`
    warps, its slots and tiles those of its parts, so all that is said here about a program's memory and registers is of one block.

    Blocks of a program load some operands alike. Where such a box begins at the same place in all of them (its start does not depend on the block's rank), each block copies an equal
    part of its lines to all blocks (`schedule-multicast`, the option `multicast`), so that it is read once. Every block's "full" barrier counts the bytes that land in its own slot, whoever has
    sent them; and a slot is empty, for every sender, once the consumers of all blocks have released theirs, which arrive at the "empty" barriers of all blocks. The blocks meet when
    these barriers have been initialized, and before they end, so that no block reaches the memory of one that has not begun or has ended. Loops run as often in all blocks,
    because only what is the same in all decides about them. By itself that is chosen for persistent programs: others would wait for each other
    while they begin and end, which took 2 to 4% of a product's time on an H200 (docs/benchmarks.md).

    **How many slots.** All fractions of shared memory are in `ir/target/MemoryBudget.h`, and a unit test states the
    arithmetic. A loop gets as many slots as it asks for (`num_stages`, at most 64; through registers at most 2, and one fewer where the target counts the iteration in flight as a stage), but
    no more than fit both of these:

    - seven eighths of shared memory, less the rings of loops around it and the operands that its products store;
    - all of it, less the rings around and less the most that other ops in the loop need at one time.

    The needs of other ops are bounded before anything is lowered (`ir/schedule/SharedDemand.h`): operands that products
    store, from where they are stored to their last use; the buffers of gathers, histograms, atomics and exchanges;
    and the least that a conversion between layouts takes, 1 KiB, beside a gather's, a histogram's or a product's own buffer
    where it runs while that is alive. Of roles both count: the producer's conversions are in the smallest pieces. Where there
    are instructions of warp groups, tiles begin at multiples of 1 KiB, and count as whole ones. A conversion may take what is left beside rings and
    other buffers, which is `sched.conversions`; a larger one is split into pieces of half that size, a quarter, and
    so on.

    **Where buffers lie** is decided after lowering, and takes no more than that (`ir/simt/sync/Arena.h`). Live ranges of buffers are
    nested in each other or apart, except those of overlapping operands of products: the first operand is counted until the last
    one dies. Buffers lie in order of first use where that fits; else each lies right above those whose live
    ranges hold its own, so that the kernel takes what is alive at one time and no gaps. Nothing is lowered twice: a
    kernel that does not fit then is an error at its largest buffer. Its advice is `sched.fewer_warps`, which
    `schedule-allocate` finds for a kernel that may not fit, from layouts for half of the warps, a quarter, and so on. Fewer slots would not
    help: rings fit beside everything that is alive with them. A test lowers random kernels for targets with exactly
    the bytes that `getDemand` of `ir/schedule/Allocate.h` states.

    **Boxes.** A load is a box if the tensor that it reads follows from the kernel's arguments: its address is
    base + Σ stride[d] · (start[d] + i[d]) with a stride of 1 in one dimension, its mask is a conjunction of start[d] + i[d] < extent[d], strides and
    extents are polynomials of integer arguments, and the starts are the same in the whole program. Products of an argument and another scalar, such as a
    batch's number and its stride, are dimensions in which the box is one element: five dimensions in all. Addresses and strides are multiples of 16 bytes by the
    promises of the signature. Beyond its extents a tensor has zeros, which is what masks without `other` give. These are assumed, as for the order of lanes (`AxisAssumption::PlainIndices`): indices do not
    overflow, what is divided is not negative, and by what it is divided is positive. A start is not negative if it is made of program numbers, counters, and
    arguments that a launch has checked.

    An index that wraps, `(start + i) % M`, ends at M instead if nobody reads what lies beyond: rows of the product that come from there must be left out by the masks of
    all stores that they reach (`ir/schedule/UnreadRows.h`). A launch whose sizes are below 1, or whose strides no tensor map can have, runs other code, without
    boxes.

    Boxes are copied by a role of one warp, of which one thread starts the copies (beside more than four warps of the program, by one of four, which then give their registers to the others): a slot is full when its bytes have landed, which the phase barrier counts, so that nothing waits for copies but
    the consumer. They are chosen for loops whose products are made by instructions of warp groups and have sums of 88 registers a thread or more (128 of programs of four warps and fewer): such a program has its
    unit for itself, while of smaller ones two hide what the other waits for, and a role would cost the second one (measured: attention with heads of 64 elements 0.80 of the speed without). `boxes=on`, the option `tma` of a compilation, wants them wherever they are
    possible, and `boxes=off` nowhere. The remark `load-not-box` says why a loop has none.

    **Late products.** An iteration with two products, of which the second one multiplies what threads make of the first one's
    result, leaves matrix units idle while threads compute. If nothing in its iteration reads the second one's sum, it may be made one
    iteration late (`sched.stage = 1`), at the same time as the next iteration's first product and what threads make of that; FlashAttention-3
    does so by hand. Its factors and the accumulator, with all that scales it, are carried to the next iteration; its tiles have a channel of
    their own, which is one iteration behind. Threads wait for the late sum as soon as its scale is known (for example a row's new maximum); scaling and the conversion of
    the next factors then fill the gaps between exponentials. The first iteration multiplies zeros by a tile of zeros, which is a box
    outside of its tensor, which takes the sign of a zero sum away; behind the loop the last product follows. Products are late (`late=auto`) where accumulators and carried factors
    take four fifths of a thread's registers or fewer; `late=off` makes none so, and the remark `product-not-late` says why one is not.

    **By hand.** `tile-opt --schedule-stages=file=FILE --schedule-roles=file=FILE` and the option `schedule` of a compile request
    take a text with one line for each loop that is not left to the compiler:

        # comment
        loop 14: slots=4 distance=3 copies=chunks
        loop #0: none
        loop #1: slots=4 roles=producer:4,consumer
        loop #2: slots=2 turns=on

    A loop is named by the line where it begins, or by its number among the `for` loops of the kernel, outer ones
    first. A line alone is one of the file of the kernel function; a loop of an inlined function from another file
    needs that file's name or the end of its path, as in `loop helpers.py:9: slots=4`. All copies of an inlined or
    unrolled loop get the schedule of its line. Loops that `tile-split` makes have neither line nor number here.
    `copies` is `chunks`, `boxes` or `registers`; boxes come with `roles=producer:1,consumer`, or `producer:4`. `distance`, `copies`, `turns` and `roles` may be left out. Such a schedule is verified like one that was
    computed; a name that matches no loop, two lines for one loop, numbers that are impossible and rings that do not
    fit are errors at their place in the text.

    **Turns.** With `turns=on` all products of the loop's body are turns of a warp (`simt.turn`). Warps that share a unit for
    matrices then use it one after the other, and one that multiplies is not held up by another one's loads. All operands of
    a product are in registers when its turn begins. Errors are a target without `turns` and without warp groups, and a loop whose
    products have no matrix instructions of a warp. Of other loops a product is a turn (`turns=auto`) where

    - the program has two warps or more for each unit for matrices (`matrix-units`);
    - a warp's instructions (`cycles` of each) take as long as shared memory needs to give one warp of every unit its operands, or longer:
      then one warp of a unit reads while the other multiplies. Where reads take longer, they are what the loop waits for, in any order;
    - all operands of the product, sums and loads on their way take seven eighths of a thread's registers or fewer.

    The remark `turns-not-taken` says which of the last two fails, with the numbers. The gain of turns of warps has not been measured on a device yet; `turns=off` makes none so, and `on` all that can be.

    On Hopper warp groups take turns, as in FlashAttention-3: a group starts an iteration's first product and the late products beside it
    only after the group before has started its own, so that one group's products run while another one computes what is
    between products (`sched.turn`). That needs late products and a program of two warp groups or more. Groups of a long loop get out of step by themselves, and turns
    cost them a barrier; so they are chosen (`turns=auto`, the option `turns` of a compilation) where programs differ in how often the loop runs, since short loops end before that. (Measured on
    an H200 with heads of 128: causal attention 1.015, full attention 0.993 of the speed without.) `on` wants them wherever they are possible; `turns=on` by hand is an error where a loop cannot have them. Where
    groups turn out to meet at a barrier between these products, turns are left out, with the remark `turns-not-taken`.

    **Roles.** With `roles=producer:4,consumer` four warps beside the program's own, the producer, copy tiles into the
    slots, and the program's warps, the consumer, do all the rest: the whole kernel is theirs. The producer computes for
    itself what its addresses and its loop's bounds need. They share rings and the channel alone:

    - The producer acquires a slot, which waits until the consumer has released what was in it before; it copies; and it
      publishes the slot that was filled `distance - 1` iterations earlier, so that as many are on their way while it waits.
    - The consumer awaits a slot, its products read it, and it releases the slot: at the end of the iteration, or, where
      products run on into the next one (`sched.deferred`), there.

    Several loops of a kernel may have roles if they follow each other in its block and use the same rings: as many boxes of
    the same tiles, into as many slots, with the same late products, and none that run on into the next iteration. Then the
    producer fills slots of the next loop while the consumer is in the last iterations of the one before: causal attention has a loop
    for blocks that are seen whole, and one for those on the diagonal.

    A channel between roles is two phase barriers for each slot (docs/simt.md), one for "full" and one for "empty", and
    every warp arrives once for each use. `sched.acquire` and `sched.await` give the parity of how often the slot has
    been used before.

    These are errors: a target without `roles` (of CUDA's architectures those before `sm_90`; every
    Vulkan device); `copies=registers`; a producer of chunks with more or fewer warps than the program has, because its copies follow the
    layouts of the program's, or of boxes with more than one; a loop inside of another op; a second such loop that cannot use the rings of the first; a kernel that prints, asserts or waits
    for an earlier launch; anything before the loop that writes or orders memory; and bounds or addresses that are loaded.

    **Persistent programs.** Where a program fills a unit of the device, its first copies and its last stores overlap with nothing: the next program
    starts when it has ended. A kernel with roles may be launched with as many programs as run at a time (`sched.persistent`). Both roles then
    loop over the caller's programs, each of them over every n-th, where n is how many are launched (`sched.programs`), and go on where they are in the rings, so that
    the producer fills slots for the next program while the consumer stores the last one's result. Programs must not be able to wait for each
    other: a kernel with atomics, volatile or `.cv` loads, barriers, inline assembly or `while` loops is left as it is. By itself (`persistent=auto`) that is chosen
    where roles hand over registers, so that one program fills a unit, and where all programs take equally long: their loops have the same bounds,
    and iterations are products that run on into the next one. (Measured on an H200: such products 1.01 to 1.02 of the speed without, attention 0.93 to 0.97, because
    each unit gets the same number of programs however fast it is.)
    `on` wants it wherever it is possible, and the remark `kernel-not-persistent` says why a kernel is not. `tl.program_id` and `tl.num_programs` are
    the caller's.

    **Asynchronous stores.** A persistent program's products wait while its threads bring a result to the order of memory and store it.
    `schedule-stores` makes such a store a copy of a box (`sched.store_box`): threads write their registers to a buffer of their own beside the
    rings, one of them starts the copy, and the next program's products run meanwhile; the buffer is waited for before the next result is
    written. The store is behind the loops, in the kernel's block; it is a box by the rules above, whose extents are its mask; the address of its
    argument goes nowhere else, because copies are not ordered against other accesses; and the tile fits beside the slots that the
    loops ask for, all of which have roles and no late products. `async-stores=auto` and `on` do so in persistent kernels alone, whose programs nothing
    orders; the remark `store-not-async` says why a store is not. (Measured on an H200: float16 products 8192³ 1.00 to 1.02 of the
    speed without, 16384×4096×1024 1.05, 4096×4096×512 1.03.)

    **Registers.** How many programs run at a time on a unit follows from the registers of a thread. A kernel that reduces a row and uses it
    again keeps it across the reduction, and the float32 values of a float16 row take twice its registers. `schedule-rematerialize` adds up what is kept across each
    reduction, or loaded behind it; about half as many registers again, and eight, are needed for the rest. Kernels in which more than loads, stores, reductions and what works element by element takes registers, such as sorts, are left out. Where at most two programs would run at a time and more would if the row were kept as it was loaded, it is: `sched.keep fresh`
    gives the narrow tensor behind the reduction, and what is used there is computed again from it, as long as that takes few instructions. The kernel then gets the
    most registers with which these programs fit (`sched.registers`). Otherwise, where sixteen registers or more are kept across a reduction, the assembler chooses, which weighs registers against
    programs; and where fewer are, a thread may have as many as one program can: loads that are under way need them. (Measured on an H200: softmax of rows of 32,768
    1.22 of the speed without, cross entropy with its gradient 1.04 to 1.18.)

    **Evictions.** A row that is too long for a program's registers is read by one loop after another, and what the first one reads has left
    the caches before the second one comes to its end. Where loops beside each other read the same addresses in the same iterations (compared as
    affine forms, `ir/analysis/AffineForm.h`), `schedule-evictions` gives the last such load the policy `evict_first`, those before it `evict_last`, and what
    the last loop stores `evict_first`, unless the kernel loads from there. With `auto` only where the address depends on each program id of the kernel, by more than a quotient,
    and on each loop around; never where a later load may read the same. Where one program alone has room on a unit, it is not given a second one by values
    that are computed again (above), because both would share the caches: 132 rows of 131,072 halves fit in the L2 cache of an H100 or H200, 264 do not. (Measured on an H200, of the speed without: layer norm and
    RMS norm of rows of 131,072 1.15, softmax 1.07; on an H100 softmax 1.19 more by keeping to one program.) AMD GPUs follow the same rule: `evict_first` is `slc`, `nt` or
    the temporal hint "non-temporal" there, and `evict_last` is "high temporal" on gfx12, where the access is a buffer instruction; the others have no word for it, and keep such
    reads longer only because the last ones go first. The gain on AMD GPUs has not been measured.

    **Retained tiles.** What the cache does not hold until the last loop may stay in shared memory. `schedule-retain` splits loops that read the same again into as many
    iterations as have room and the others. In the former the first loop writes what it has loaded to a slot for each iteration (`sched.retain`), and later ones read it
    from there (`sched.recall`): each thread its own elements, so that no barrier is needed. A recall without a retain before it, in a loop of the same bounds and by the same slots, is an error. Masks and the values in place of what they leave out must be the same, layouts, too, and
    nothing in between may write there; of the same argument, only what the last loop stores to the places of its own iteration. With `auto` only on targets whose `unit-cache` is known, where a
    program has a quarter of a unit's threads or more, and for rows that take half of the unit's share of the cache and more: with fewer bytes, or fewer threads, the cache serves several programs
    better. Loops that reduce in each iteration wait for all of their threads; there two programs share the memory, and half of that is enough. The length of a row is often an argument; then the kernel has `sched.prefers`,
    and launches with shorter rows take other code. (Measured on an H200, of the speed without, with rows of 131,072: norms 1.06 to 1.08, softmax 1.03, cross entropy with its
    gradient 1.06 to 1.08.)

    **Prefetching.** In a loop with products, what is computed between two of them waits for the vectors that it reads, such as the statistics of a
    softmax or the scales of an operand: they do not feed a product, so that they have no slots. `schedule-prefetch` carries them in
    registers: the loop begins with the loads of the next iteration. Addresses and masks must be computable for that, as for loads that run ahead, and
    nothing in the loop may write what they read. `auto` does so for vectors of up to 128 elements in a kernel's only loop with products, unless
    that is known to have four iterations at most, where the target has asynchronous copies; a schedule by hand does not say it, the option does. (Measured on an H100 and an H200: gradients of attention with
    heads of 64, 1.03 and 1.04 of the speed without; the causal kernel, which has two such loops, would have 0.95: its registers would let one program
    run instead of two.) On AMD GPUs loads that run ahead take the registers that such vectors would: `auto` does so with `--async-copies` alone.

    **The protocol.** After expansion every kernel's channels are simulated (`ir/schedule/Protocol.h`), those that a hand
    wrote in these ops, too: for 0 and 1 iterations, for as many as there are slots, and for twice as many and two more.
    It finds

    - slots that are acquired, filled, published, awaited, read or released when they must not be: by products, too, which read behind `sched.read`;
    - slots that are read and have not been filled, or that are filled twice, or filled and not read;
    - copies and products that may still be under way then, and copies that are when the channel ends;
    - slots that are put ahead of the barrier that separates them from the products before;
    - wrong phases, and roles that wait for each other forever or whose loops have different bounds.

    Slots, phases and predicates must follow from how often loops have run, not from data. A loop that waits for no other role is simulated once for each state of the slots in which it begins, so that loops in loops cost
    the sum of their trip counts.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilerun::distribute::DistributeDialect", "::tilerun::tile::TileDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kPipeline{"sched.pipeline"};
    static constexpr ::llvm::StringLiteral kRing{"sched.ring"};
    static constexpr ::llvm::StringLiteral kBox{"sched.box"};
    static constexpr ::llvm::StringLiteral kDeferred{"sched.deferred"};
    static constexpr ::llvm::StringLiteral kStage{"sched.stage"};
    static constexpr ::llvm::StringLiteral kConversions{"sched.conversions"};
    static constexpr ::llvm::StringLiteral kFewerWarps{"sched.fewer_warps"};
    static constexpr ::llvm::StringLiteral kByHand{"sched.by_hand"};
    static constexpr ::llvm::StringLiteral kRole{"sched.role"};
    static constexpr ::llvm::StringLiteral kRoleAsked{"sched.role_asked"};
    static constexpr ::llvm::StringLiteral kInFlight{"sched.in_flight"};
    static constexpr ::llvm::StringLiteral kTurns{"sched.turns"};
    static constexpr ::llvm::StringLiteral kPersistent{"sched.persistent"};
    static constexpr ::llvm::StringLiteral kExpanded{"sched.expanded"};
    static constexpr ::llvm::StringLiteral kRegisters{"sched.registers"};
    static constexpr ::llvm::StringLiteral kPrefers{"sched.prefers"};
    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

class Sched_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilerun::schedule";
  let genSpecializedAttr = 0;
}

def Sched_CopyKind : Sched_Enum<"CopyKind", "how a load fills a slot", [
  I32EnumAttrCase<"Chunks", 0, "chunks">, I32EnumAttrCase<"Registers", 1, "registers">,
  I32EnumAttrCase<"Boxes", 2, "boxes">]>;

def Sched_TurnStep : Sched_Enum<"TurnStep", "what becomes of the turns of warp groups", [
  I32EnumAttrCase<"Open", 0, "open">, I32EnumAttrCase<"Begin", 1, "begin">, I32EnumAttrCase<"End", 2, "end">,
  I32EnumAttrCase<"Close", 3, "close">]>;

def Sched_RoleKind : Sched_Enum<"RoleKind", "what some warps of a program do", [
  I32EnumAttrCase<"Producer", 0, "producer">, I32EnumAttrCase<"Consumer", 1, "consumer">]>;

def Sched_RoleKindAttr : EnumAttr<Sched_Dialect, Sched_RoleKind, "role_kind">;
def Sched_TurnStepAttr : EnumAttr<Sched_Dialect, Sched_TurnStep, "turn_step">;

def Sched_TileOrder : Sched_Enum<"TileOrder", "how a tile lies in its slot", [
  I32EnumAttrCase<"Swizzled", 0, "swizzled">, I32EnumAttrCase<"Padded", 1, "padded">,
  I32EnumAttrCase<"Crossed", 2, "crossed">, I32EnumAttrCase<"Turned", 3, "turned">]>;

class Sched_Attr<string name, string attrMnemonic> : AttrDef<Sched_Dialect, name> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Sched_PipelineAttr : Sched_Attr<"Pipeline", "pipeline"> {
  let summary = "a loop whose loads run ahead into a ring of slots";
  let description = [{
    - `slots`: tiles in the ring of each load that runs ahead, 1 to 64.
    - `distance`: how many iterations ahead of its use a load begins.
    - `copies`: `chunks` are asynchronous copies from global to shared memory, of as many bytes as each thread may copy at a
      time; `boxes` are asynchronous copies of whole tiles, which one thread starts; `registers` are loads whose values are
      carried to a later iteration, which stores them to a slot when it begins.

    Before `schedule-allocate` these are what the loop asks for.

    Chunks and boxes need two slots or more, and run ahead by at least one and by fewer iterations than there are slots: the slot
    of the iteration at hand is being read. Registers run ahead by exactly as many iterations as there are slots: the
    last one is in flight to registers, the others are in slots. With one slot, a barrier stands before and after the
    stores; with more, one barrier is enough.

    Between roles `distance` says how many iterations may be on their way into slots, at most; of boxes all slots may.
    Boxes are for roles: their producer is one warp, of which one thread starts the copies.
  }];
  let parameters = (ins "int64_t":$slots, "int64_t":$distance, EnumParameter<Sched_CopyKind>:$copies);
}

def Sched_RoleAttr : Sched_Attr<"Role", "role"> {
  let summary = "a loop whose tiles are copied by warps of their own";
  let description = [{
    - `producers`: so many warps beside the program's own fill the slots of the loop, which the program's warps read.
  }];
  let parameters = (ins "unsigned":$producers);
}

def Sched_RingAttr : Sched_Attr<"Ring", "ring"> {
  let summary = "the form of a load's slots in shared memory";
  let description = [{
    - `order`: `swizzled` is `layout::swizzledTile`: lines of at most 128 bytes, whose 16-byte chunks are permuted so
      that matrix instructions read columns without bank conflicts. `crossed` is `layout::crossedTile`, the same for
      registers that hold neighbours in memory, which are in different lines: they are stored across them. `turned` is
      `layout::turnedTile`, for instructions that transpose what they read. `padded` has whole lines of the tile, `pitch` bytes
      apart, which opaque matrices need.
    - `inner`: the dimension whose neighbours are neighbours in memory, 0 or 1.
    - `pitch`: of a padded tile, a multiple of 16 bytes and no shorter than a line; 0 for the others.
    - `perWord`: of `registers`, how many neighbouring elements stay together in one 32-bit register between the load
      and the store: 1, 2 or 4. Of a crossed tile they part there.
  }];
  let parameters = (ins EnumParameter<Sched_TileOrder>:$order, "unsigned":$inner,
                    DefaultValuedParameter<"int64_t", "0">:$pitch, DefaultValuedParameter<"unsigned", "1">:$perWord);
}

def Sched_PrefersAttr : Sched_Attr<"Prefers", "prefers"> {
  let summary = "arguments for which a kernel's schedule pays";
  let description = [{
    `number` is not negative. Its symbols are the integer arguments with the numbers `arguments`. For others the kernel gives the same
    results; a launch that can have other code takes that.

    ```mlir
    #sched.prefers<arguments = array<i32: 2>, number = affine_map<()[s0] -> (s0 - 98304)>>
    ```
  }];
  let parameters = (ins "::mlir::DenseI32ArrayAttr":$arguments, "::mlir::AffineMapAttr":$number);
  let genVerifyDecl = 1;
}

def Sched_BoxAttr : Sched_Attr<"Box", "box"> {
  let summary = "how a load is one box of a tensor in global memory";
  let description = [{
    The tensor is known before a launch: its first element is what the kernel's argument number `base` points to, its sizes and
    strides follow from integer arguments. Dimensions are counted from the contiguous one.

    - `element`: the type of an element.
    - `arguments`: numbers of the kernel's arguments that are the symbols of the two maps.
    - `extents`: of each dimension, in elements. Elements beyond them, and those at negative indices, are zeros.
    - `strides`: of each dimension but the first, in bytes; multiples of 16.
    - `tile`: of each dimension how many elements the load has along it.
    - `natural`: numbers of arguments that must not be negative, or the tensor is not the one that the load reads.

    ```mlir
    // a_ptr + (128 * pid + i) * stride + 64 * n + j, where 128 * pid + i < M and 64 * n + j < K
    #sched.box<base = 0, element = f16, arguments = array<i32: 3, 5, 6>, extents = affine_map<()[s0, s1, s2] -> (s1, s0)>,
               strides = affine_map<()[s0, s1, s2] -> (s2 * 2)>, tile = array<i64: 64, 128>, natural = array<i32>>
    ```
    The indices at which a box starts are values (`sched.copy_box`).
  }];
  let parameters = (ins "unsigned":$base, "::mlir::Type":$element, "::mlir::DenseI32ArrayAttr":$arguments, "::mlir::AffineMapAttr":$extents,
                    "::mlir::AffineMapAttr":$strides, "::mlir::DenseI64ArrayAttr":$tile, "::mlir::DenseI32ArrayAttr":$natural);
  let genVerifyDecl = 1;
}

#endif
