// Passes that make schedules. Documentation and command-line flags are generated from here.
#ifndef TILERUN_IR_SCHEDULE_PASSES_TD
#define TILERUN_IR_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScheduleStages : Pass<"schedule-stages", "::mlir::ModuleOp"> {
  let summary = "decide which loads run ahead, into how many slots";
  let description = [{
    Gives the loops of every kernel their schedule for a target, as attributes of the `sched` dialect (docs/schedule.md),
    and checks schedules that are there already. Loops that have one keep it. Reasons why a loop has none are remarks.

    The number of slots follows from the target's memory budget: the wish (`num-stages`, or `tile.num_stages` of the
    loop), cut to what fits beside the rings of loops around and what other ops in the loop need.

    Target and layouts are those of the module (`tile-set-target`, `tile-distribute`); where it has no target, the options
    take its place, and layouts are not kept. Shapes must be powers of two, as `tile-pad` makes them.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"generic:\"",
           "the target, as ir/target/GenericTarget.h writes it: generic:lanes=32,shared=160k,async=on,...">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a program: a power of two up to 65536">,
    Option<"numStages", "num-stages", "unsigned", "3", "slots of loops without a number of their own; 1: none">,
    Option<"file", "file", "std::string", "\"\"", "a schedule by hand (ir/schedule/HandSchedule.h)">,
    Option<"text", "text", "std::string", "\"\"", "the same, given as text">,
    Option<"name", "name", "std::string", "\"schedule\"", "the name of that text in diagnostics">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilerun::distribute::DistributeDialect", "::tilerun::schedule::SchedDialect",
                           "::tilerun::tile::TileDialect"];
}

def ScheduleExpand : Pass<"schedule-expand", "::mlir::ModuleOp"> {
  let summary = "turn loops with a schedule into prologue, loop and epilogue, in ops of the sched dialect";
  let description = [{
    Applies the attributes of `schedule-stages`, and decides nothing: loads that run ahead become copies into the
    slots of rings, products read these slots, and the ops of a channel say in which order (docs/schedule.md).

    Every kernel's channels are then checked by simulation, including those written by hand.

    A loop with roles becomes two: the producer's, with what its copies need, and the consumer's, in a region with the rest of
    the kernel (docs/schedule.md).

    A kernel without a schedule by hand is accompanied by a function `NAME.least`: the same kernel with nothing that
    runs ahead. It takes the kernel's place where shared memory turns out to be too small for it (docs/schedule.md).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilerun::distribute::DistributeDialect", "::tilerun::schedule::SchedDialect",
                           "::tilerun::tile::TileDialect"];
}

#endif
