// A kernel with the marks of a debugger, for tests and the fuzzer of what shows its recording.
#pragma once

/// y[pid] = x[pid] / x[pid], twice in a loop whose variable is `i`; `helper` is around the
/// division.
inline constexpr const char *kRecordedKernel = R"(
func.func @k(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}) attributes {tile.kernel} {
  tile.debug_event enter "k" "" loc("k.py":1:1)
  tile.debug_event assign "N" "2" loc("k.py":1:9)
  tile.debug_event statement "" "" loc("k.py":2:5)
  %pid = tile.program_id 0
  tile.debug_event assign "pid" "int32" : %pid : i32 loc("k.py":2:5)
  tile.debug_event statement "" "" loc("k.py":3:5)
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %i = %zero to %two step %one : i32 {
    tile.debug_event assign "i" "int32" : %i : i32 loc("k.py":3:9)
    tile.debug_event statement "" "" loc("k.py":4:9)
    %p = tile.addptr %x, %pid : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> loc("k.py":4:13)
    tile.debug_event assign "v" "float32" : %v : f32 loc("k.py":4:9)
    tile.debug_event statement "" "" loc("k.py":5:9)
    tile.debug_event enter "helper" "" loc(callsite("k.py":10:1 at "k.py":5:13))
    tile.debug_event assign "v" "float32" : %v : f32 loc(callsite("k.py":10:8 at "k.py":5:13))
    tile.debug_event statement "" "" loc(callsite("k.py":11:5 at "k.py":5:13))
    %w = arith.divf %v, %v : f32 loc(callsite("k.py":11:9 at "k.py":5:13))
    tile.debug_event leave "helper" "" loc(callsite("k.py":10:1 at "k.py":5:13))
    tile.debug_event statement "" "" loc("k.py":6:9)
    tile.debug_event break "" "" loc("k.py":6:9)
    %fi = arith.sitofp %i : i32 to f32
    %s = arith.addf %w, %fi : f32
    %q = tile.addptr %y, %pid : !tile.ptr<f32>, i32
    tile.store %q, %s : !tile.ptr<f32> loc("k.py":6:9)
  }
  tile.debug_event leave "k" "" loc("k.py":1:1)
  return
})";
