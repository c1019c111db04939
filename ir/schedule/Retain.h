// Tiles that stay in shared memory from one loop to the next: rows that are too long for a
// program's registers are read by one loop after another, and together they may be too long for
// the cache that all units share, too.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// How many programs of so many threads share a unit's memory for what they retain, where more than
/// one has room: a loop that reduces waits for all of its threads, while another program's work.
unsigned countRetainingPrograms(const target::TargetInfo &target, unsigned threads, bool reduces);

/// The bytes of a row that the cache does not keep from one loop to the next, for one of `programs`
/// that run at a time on a unit: half of the unit's share, because other data and what is written
/// pass through it. Measured on an H200: docs/benchmarks.md.
int64_t getCachedBytes(const target::TargetInfo &target, unsigned programs);

/// Where loops beside each other read the same addresses in the same iterations (Rereads.h), splits
/// them into as many iterations as have room in shared memory and the others; the first loop
/// retains what it reads there, and later ones recall it. Each thread gets back its own elements.
///
/// Not where something in between may write there: of the same argument, only what the last loop
/// stores to the addresses of the iteration itself; different pointer arguments of a kernel are
/// taken not to overlap. Nor in kernels with loads that run ahead.
///
/// With Choice::Auto on targets whose cache is known, in programs of a quarter of a unit's threads
/// and more, for rows of getCachedBytes() and more: where the loops' length is known from a
/// launch's arguments only, the kernel prefers such launches (`sched.prefers`).
///
/// The kernel must be allocated (Allocate.h), and is allocated again where anything was retained.
mlir::LogicalResult retainTiles(mlir::func::FuncOp kernel,
                                const distribute::LayoutAssignment &layouts, Choice choice);

/// Bytes of shared memory of the tiles that a kernel retains, from its first loop to its last.
int64_t getRetainedBytes(mlir::func::FuncOp kernel);

/// How many programs the retained tiles of a kernel leave room for on a unit; nullopt: it retains
/// none.
std::optional<unsigned> countByRetained(mlir::func::FuncOp kernel,
                                        const target::TargetInfo &target);

} // namespace tilerun::schedule
