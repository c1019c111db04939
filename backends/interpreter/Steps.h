// The functions that steps run, by family. Each says which `numbers` it reads. Plain and checked
// launches run the same functions; those that touch memory ask `frame.checker` when there is one.
#pragma once

#include "backends/interpreter/Program.h"

namespace tilerun::interp {

// ElementSteps.cpp
/// Applies the step's kernel to whole buffers.
void runKernel(Frame &frame, const Step &step);
/// Condition scalar, two tensors of `numbers[0]` bytes.
void runSelectScalar(Frame &frame, const Step &step);
/// base + offset · 2^numbers[0] bytes.
void runAddPtr(Frame &frame, const Step &step);
/// Copies numbers[0] bytes.
void runCopy(Frame &frame, const Step &step);
/// `text` holds the bytes of all elements, or of one that is repeated.
void runConstant(Frame &frame, const Step &step);
/// Copies a scalar to every lane.
void runSplatLanes(Frame &frame, const Step &step);

// ShapeSteps.cpp
/// Axis numbers[0].
void runProgramId(Frame &frame, const Step &step);
void runNumPrograms(Frame &frame, const Step &step);
/// Starts at numbers[0].
void runMakeRange(Frame &frame, const Step &step);
void runSplat(Frame &frame, const Step &step);
/// Result element i of `shape` is source element Σ index[d] · numbers[d]: broadcast and
/// transposition.
void runGatherStrided(Frame &frame, const Step &step);
void runJoin(Frame &frame, const Step &step);
void runSplit(Frame &frame, const Step &step);
void runCat(Frame &frame, const Step &step);
/// Operands: source, indices. numbers: outer, the axis in source and indices, inner.
void runGather(Frame &frame, const Step &step);
/// Operands: source, mask (optional). numbers: elements of the source, bins.
void runHistogram(Frame &frame, const Step &step);

// MemorySteps.cpp
/// Operands: pointers, mask, other (the latter two optional).
void runLoad(Frame &frame, const Step &step);
/// Operands: pointers, values, mask (optional).
void runStore(Frame &frame, const Step &step);

// AtomicSteps.cpp
/// Operands: pointers, values, mask (optional). numbers: kind, ordering.
void runAtomicRMW(Frame &frame, const Step &step);
/// Operands: pointers, expected, values. numbers: ordering.
void runAtomicCAS(Frame &frame, const Step &step);

// DotSteps.cpp
/// Operands: a, b, accumulator, and scratch for converted a, b and accumulator (optional). numbers:
/// batch, M, N, K, 1 for tf32.
void runDot(Frame &frame, const Step &step);

// RegionSteps.cpp
/// A combine region's places, shared by reductions and scans. numbers: outer, axis size, inner,
/// halves, reverse, lanes. operands: N inputs, then N region inputs "accumulated", N "next", N
/// yielded values; results: N outputs, N work buffers.
void runReduce(Frame &frame, const Step &step);
void runScan(Frame &frame, const Step &step);
/// operands: N inputs, N region inputs, M yielded values; results: M outputs. numbers: N, elements,
/// lanes. blocks: the region.
void runMap(Frame &frame, const Step &step);

// ControlSteps.cpp
/// Operands: lower, upper, step; results: induction variable. blocks: body. numbers: unsigned
/// comparison.
void runFor(Frame &frame, const Step &step);
/// Operands: condition. blocks: then, else.
void runIf(Frame &frame, const Step &step);
/// Operands: condition. blocks: before, after.
void runWhile(Frame &frame, const Step &step);
/// Operands: selector. numbers: case values. blocks: one a case, then the default.
void runSwitch(Frame &frame, const Step &step);

// DebugSteps.cpp
/// numbers: hexadecimal, then one per value: signed. shapes of values: dims count then dims.
void runPrint(Frame &frame, const Step &step);
/// Operands: condition, mask (optional).
void runAssert(Frame &frame, const Step &step);
/// Nothing: it is for observers. Operands: a value (optional). numbers: kind (tile::DebugEvent).
/// text: name and type, or value, with a zero between.
void runDebugEvent(Frame &frame, const Step &step);

} // namespace tilerun::interp
