// Passes that make schedules. Documentation and command-line flags are generated from here.
#ifndef TILERUN_IR_SCHEDULE_PASSES_TD
#define TILERUN_IR_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

/// A pass that reads the target and the layouts of the module.
class SchedulePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilerun::distribute::DistributeDialect", "::tilerun::schedule::SchedDialect",
                           "::tilerun::tile::TileDialect"];
}

defvar ownTarget = [
  Option<"target", "target", "std::string", "\"generic:\"",
         "the target, as ir/target/GenericTarget.h writes it: generic:lanes=32,shared=160k,async=on,...">,
  Option<"numWarps", "num-warps", "unsigned", "4", "warps of a program: a power of two up to 65536">
];
defvar byHand = [
  Option<"file", "file", "std::string", "\"\"", "a schedule by hand (ir/schedule/HandSchedule.h)">,
  Option<"text", "text", "std::string", "\"\"", "the same, given as text">,
  Option<"name", "name", "std::string", "\"schedule\"", "the name of that text in diagnostics">
];

def ScheduleBlocks : SchedulePass<"schedule-blocks"> {
  let summary = "decide by how many blocks a program runs, and divide it between them";
  let description = [{
    Where the option `num-ctas` asks for n blocks, kernels of whose largest result each block can compute a slice by itself
    are divided (docs/schedule.md, "Blocks"): ranges, loads, products and all that is between them shrink along one
    dimension, which differs from value to value; what does not have it, every block computes; and effects are divided, too, or
    left to the first block. Others stay as they are, and a remark says why.

    ```mlir
    %i = tile.make_range 0 to 128 : tensor<128xi32>
    %p = tile.addptr %rows, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>>
    tile.store %q, %s : !tile.ptr<f32>
    // becomes, for two blocks
    %rank = tile.block_rank
    %first = arith.cmpi eq, %rank, %zero : i32
    %i = tile.make_range 0 to 64 : tensor<64xi32>
    %mine = arith.addi %i, %from : tensor<64xi32>      // rank · 64
    %p = tile.addptr %rows, %mine : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %p, %x : tensor<64x!tile.ptr<f32>>
    tile.store %q, %s mask %first : !tile.ptr<f32>
    ```

    Comes between `tile-pad` and `tile-split`; the module must have a target. Kernels that have layouts are left as they are.
  }];
}

def SchedulePrefetch : SchedulePass<"schedule-prefetch"> {
  let summary = "decide which loads beside products are made one iteration early, in registers";
  let description = [{
    In a loop with products, what is computed between two of them waits for the loads that it reads. Where the next
    iteration's address is known, such a load is carried: the loop begins with the next iteration's, masked off
    where that does not exist.

    ```mlir
    %sum = scf.for %i = %zero to %n step %size iter_args(%acc = %none) -> tensor<64x64xf32> : i32 {
      …
      %m = tile.load %statistics_i : tensor<64x!tile.ptr<f32>>
      …
    }
    // becomes
    %m0 = tile.load %statistics_0 mask %runs : tensor<64x!tile.ptr<f32>>
    %sum, %last = scf.for %i = … iter_args(%acc = %none, %m = %m0) -> (tensor<64x64xf32>, tensor<64xf32>) : i32 {
      %next = tile.load %statistics_next mask %exists : tensor<64x!tile.ptr<f32>>
      …
      scf.yield …, %next : …
    }
    ```

    Comes before `tile-distribute`; the module must have a target. Kernels that have layouts are left as they are.
  }];
  let options = [
    Option<"prefetch", "prefetch", "std::string", "\"auto\"",
           "auto (vectors, in a kernel's only loop with products, on targets with asynchronous copies), off, on (wherever it is possible)">
  ];
}

def ScheduleStages : SchedulePass<"schedule-stages"> {
  let summary = "decide when: which loads run ahead, by how many iterations";
  let description = [{
    Gives loops `sched.pipeline`, their loads that run ahead `sched.ring`, and products that may run on into the next
    iteration `sched.deferred` (docs/schedule.md). A loop gets as many slots as it asks for: `tile.num_stages` of its own,
    or `num-stages`. Memory is not asked; `schedule-allocate` does. Loops that have a schedule keep it, unless one by hand names
    them. Reasons why a loop has none are remarks.

    Target and layouts are those of the module (`tile-set-target`, `tile-distribute`); where it has no target, the options
    take its place, and layouts are not kept. Shapes must be powers of two, as `tile-pad` makes them.

    ```mlir
    scf.for %i = %zero to %n step %one : i32 {
      %a = tile.load %pa : tensor<64x32x!tile.ptr<f16>>
      …
    }
    // becomes, where four slots are asked for
    scf.for %i = %zero to %n step %one : i32 {
      %a = tile.load %pa {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<64x32x!tile.ptr<f16>>
      …
    } {sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
    ```
  }];
  let options = ownTarget # [
    Option<"numStages", "num-stages", "unsigned", "3", "slots of loops without a number of their own; 1: none">,
    Option<"boxes", "boxes", "std::string", "\"auto\"",
           "loads that are copies of boxes: auto (where that pays), off, on (wherever it is possible)">,
    Option<"late", "late", "std::string", "\"auto\"",
           "products that are made one iteration late, beside copies of boxes: auto (where registers suffice), off, on">,
    Option<"turns", "turns", "std::string", "\"auto\"",
           "warps of a unit compute products in turns: auto (where that pays), off, on; or warp groups start them, beside late products: auto (where programs differ in how often the loop runs)">
  ] # byHand;
}

def ScheduleRoles : SchedulePass<"schedule-roles"> {
  let summary = "decide by whom: which loops' tiles are copied by warps of their own";
  let description = [{
    Gives the loops for which a schedule by hand has `roles=`, and those whose loads are boxes, their `sched.role`, and checks
    that the target has roles and that the loop can be split.

    ```mlir
    } {sched.by_hand = …, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
    // becomes, with the text "loop #0: slots=4 roles=producer:4,consumer"
    } {sched.by_hand = …, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>, sched.role = #sched.role<producers = 4>}
    ```

    Target and layouts as in `schedule-stages`, which comes before it and reads the rest of the same text.
  }];
  let options = ownTarget # byHand;
}

def SchedulePersist : SchedulePass<"schedule-persist"> {
  let summary = "decide how many programs: whether each launched one runs several of the caller's";
  let description = [{
    Gives kernels with roles `sched.persistent`, where that pays and programs cannot wait for each other (docs/schedule.md).

    Target and layouts as in `schedule-stages`; `schedule-roles` comes before it.
  }];
  let options = ownTarget # [
    Option<"persistent", "persistent", "std::string", "\"auto\"",
           "auto (where one program fills a unit, and all are equally long), off, on (wherever it is possible)">
  ];
}

def ScheduleStores : SchedulePass<"schedule-stores"> {
  let summary = "decide which results are copied to global memory while the program goes on";
  let description = [{
    Stores behind loops with roles become copies of boxes from shared memory, where the tensor follows from the kernel's arguments,
    nothing else reaches it and the tile has room beside the slots that the loops ask for (docs/schedule.md).

    ```mlir
    tile.store %pointers, %tile mask %inside : tensor<128x256x!tile.ptr<f16>>
    // becomes
    %buffer = sched.store_buffer : !sched.store_buffer<tensor<128x256xf16>, 1>
    …
    sched.store_box %tile mask %inside : tensor<128x256xi1> -> %buffer -> [%n, %m] {tensor = #sched.box<…>} : tensor<128x256xf16> -> !sched.store_buffer<…>
    ```

    Target and layouts as in `schedule-stages`; `schedule-persist` comes before it, and `schedule-allocate` after it.
  }];
  let options = ownTarget # [
    Option<"stores", "stores", "std::string", "\"auto\"", "auto or on (in persistent kernels, wherever it is possible), off">
  ];
}

def ScheduleAllocate : SchedulePass<"schedule-allocate"> {
  let summary = "decide how many: slots, and the room for conversions, by the target's memory budget";
  let description = [{
    The slots that a loop asks for are cut to those that fit beside the rings of loops around it and what other ops in it
    need; a loop with too few loses its schedule. Both have remarks with the arithmetic. A schedule by hand is followed, or is an error at
    its place in the text. The rest, for conversions between layouts, becomes `sched.conversions`. All of it is arithmetic on
    `ir/target/MemoryBudget.h` before anything is lowered.

    Then the schedule is whole, and what it asks of the target is checked. A kernel that has `sched.conversions` already is
    only checked.

    ```mlir
    } {sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>}
    // becomes, where 14 KiB of shared memory hold three slots of 4 KiB
    } {sched.conversions = 2048 : i64, sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
    ```

    Target and layouts as in `schedule-stages`.
  }];
  let options = ownTarget;
}

def ScheduleRetain : SchedulePass<"schedule-retain"> {
  let summary = "decide which tiles stay in shared memory until a later loop reads the same";
  let description = [{
    A row that is too long for a program's registers is read by one loop after another. Where loops beside each other read the
    same addresses in the same iterations, as many iterations as have room are split off: the first loop retains what it loads
    there, and later ones recall it (docs/schedule.md). Where the loops' length follows from the kernel's arguments, the kernel gets
    `sched.prefers`: launches for which that pays.

    ```mlir
    scf.for %i = %zero to %n step %size : i32 {
      …
      %x = tile.load %row_i : tensor<1024x!tile.ptr<f32>>
    }
    scf.for %i = %zero to %n step %size : i32 {
      …
      %x = tile.load %row_i : tensor<1024x!tile.ptr<f32>>
    }
    // becomes
    %kept = sched.retained : !sched.retained<40 of tensor<1024xf32>, #layout>
    scf.for %i = %zero to %middle step %size : i32 {
      …
      %x = tile.load %row_i : tensor<1024x!tile.ptr<f32>>
      sched.retain %x -> %kept[%slot] : …
    }
    scf.for %i = %middle to %n step %size : i32 { … }
    scf.for %i = %zero to %middle step %size : i32 {
      …
      %x = sched.recall %kept[%slot] : …
    }
    scf.for %i = %middle to %n step %size : i32 { … }
    ```

    Target and layouts as in `schedule-stages`; `schedule-allocate` comes before it.
  }];
  let options = ownTarget # [
    Option<"retain", "retain", "std::string", "\"auto\"",
           "auto (rows that the cache does not hold), off, on (wherever it is possible)">
  ];
}

def ScheduleEvictions : SchedulePass<"schedule-evictions"> {
  let summary = "decide which reads stay in the caches until a later loop reads the same";
  let description = [{
    A row that is too long for a program's registers is read by one loop after another. Where loops beside each other read the
    same addresses in the same iterations, the last such load gets the policy `evict_first`, and those before it `evict_last`;
    what its loop stores gets `evict_first`, too (docs/schedule.md). Accesses to which the kernel gave a policy or a cache
    modifier keep it; loads that run ahead have none.

    ```mlir
    scf.for %i = %zero to %n step %size : i32 {
      %x = tile.load %row_i : tensor<8192x!tile.ptr<f16>>
      …
    }
    scf.for %j = %zero to %n step %size : i32 {
      %y = tile.load %row_j : tensor<8192x!tile.ptr<f16>>
      …
    }
    // becomes
    scf.for … { %x = tile.load %row_i {evict = #tile<evict evict_last>} : …
    scf.for … { %y = tile.load %row_j {evict = #tile<evict evict_first>} : …
    ```

    Target as in `schedule-stages`; for targets that have such policies.
  }];
  let options = ownTarget # [
    Option<"evictions", "evictions", "std::string", "\"auto\"",
           "auto (where what a program reads is its own), off, on (wherever it is read again)">
  ];
}

def ScheduleExpand : SchedulePass<"schedule-expand"> {
  let summary = "turn loops with a schedule into prologue, loop and epilogue, in ops of the sched dialect";
  let description = [{
    Applies the attributes of the passes before, and decides nothing: loads that run ahead become copies into the
    slots of rings, products read these slots, and the ops of a channel say in which order (docs/schedule.md).

    Every kernel's channels are then checked by simulation, including those written by hand.

    A loop with roles becomes two: the producer's, with what its copies need, and the consumer's, in a region with the rest of
    the kernel (docs/schedule.md).
  }];
}

def ScheduleMulticast : SchedulePass<"schedule-multicast"> {
  let summary = "decide which boxes are copied once for all blocks of a program";
  let description = [{
    Of a kernel that `schedule-blocks` has divided, all blocks load some operands alike, such as the second one of a product whose rows
    are divided. Each block then copies a part of the box's lines to all blocks (`docs/schedule.md`, "Blocks").

    ```mlir
    sched.copy_box [%n, %k] -> %b[%slot] {tensor = #sched.box<…>} : !sched.ring<…>
    // becomes
    sched.copy_box [%n, %k] -> %b[%slot] multicast {tensor = #sched.box<…>} : !sched.ring<…>
    ```
  }];
  let options = [
    Option<"multicast", "multicast", "std::string", "\"auto\"", "auto (in persistent kernels), off, on (wherever it is possible)">
  ];
}

def ScheduleRematerialize : SchedulePass<"schedule-rematerialize"> {
  let summary = "decide what is computed again behind a reduction, so that more programs run at a time";
  let description = [{
    A row of float16 that is converted, reduced and used again takes twice the registers of what was loaded while threads wait
    for each other. Where as many programs do not fit beside each other for that reason, what is used behind a reduction is computed again from the
    narrower tensor, which `sched.keep fresh` gives. What counts is arithmetic on layouts: registers of the tensors that are kept across the
    kernel's reductions (`ir/schedule/Rematerialize.h`). The kernel gets `sched.registers`, unless the assembler chooses better.

    ```mlir
    %w = tile.fp_cast %x : tensor<8192xf16> -> tensor<8192xf32>
    %m = tile.reduce %w axis 0 : (tensor<8192xf32>) -> f32 { … }
    %d = arith.subf %w, %splat : tensor<8192xf32>
    // becomes
    %w = tile.fp_cast %x : tensor<8192xf16> -> tensor<8192xf32>
    %m = tile.reduce %w axis 0 : (tensor<8192xf32>) -> f32 { … }
    %x1 = sched.keep fresh %x : tensor<8192xf16>
    %w1 = tile.fp_cast %x1 : tensor<8192xf16> -> tensor<8192xf32>
    %d = arith.subf %w1, %splat : tensor<8192xf32>
    ```

    For expanded kernels of targets whose unit's registers are known; values of kernels with products are left as they are.
  }];
  let options = [
    Option<"rematerialize", "rematerialize", "std::string", "\"auto\"",
           "auto (where more programs run by it), off, on (wherever it saves registers)">
  ];
}

#endif
