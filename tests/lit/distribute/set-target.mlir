// The target of a module, as the pass writes it: from the option of tile-opt and from the pass's own.
// RUN: tile-opt %s --target=generic:lanes=64,shared=64k,shuffle=off --num-warps=2 --num-stages=4 | FileCheck %s --check-prefix=SHORT
// RUN: tile-opt %s '--tile-set-target=target=generic:name=x,async=on num-warps=8 warp-unit=32' | FileCheck %s --check-prefix=PASS
// RUN: tile-opt %s '--tile-set-target=target=generic across-k=copies' | FileCheck %s --check-prefix=ACROSS
// RUN: tile-opt %s '--tile-set-target=target=generic few-programs' | FileCheck %s --check-prefix=FEW
// RUN: not tile-opt %s '--tile-set-target=target=generic across-k=both' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tile-opt %s --target=generic:lane=64 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not tile-opt %s --target=generic --num-warps=3 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tile-opt %s --tile-split 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --tile-distribute 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-opt %s --lower-to-threads 2>&1 | FileCheck %s --check-prefix=NONE

// SHORT: #target = #distribute.target<"generic:lanes=64,shared=64k,shuffle=off">
// SHORT: module attributes {distribute.num_stages = 4 : i32, distribute.num_warps = 2 : i32, distribute.target = #target}
// PASS: #target = #distribute.target<"generic:name=x,lanes=32,shared=48k,async=on">
// PASS: module attributes {distribute.num_stages = 3 : i32, distribute.num_warps = 8 : i32, distribute.target = #target, distribute.warp_unit = 32 : i32}
// ACROSS: module attributes {distribute.across_k = "copies", distribute.num_stages
// FEW: module attributes {distribute.few_programs, distribute.num_stages
// BOTH: error: across-k=both is not auto, registers or copies
// WORD: error: 'lane' is not a word of a target; words are name, lanes, threads,
// WARPS: error: num-warps=3 is not a power of two from 1 to 65536
// NONE: error: the module has no 'distribute.target'; run tile-set-target first
module {
}
