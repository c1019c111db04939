# The IR of run-time control flow: joins, early returns, loops with and without exits.
# RUN: tilerun compile %s::joins --signature 'p=*i32, n=i32' --emit tile | FileCheck %s --check-prefix=JOIN
# RUN: tilerun compile %s::guard --signature 'p=*i32:16, n=i32' --emit tile | FileCheck %s --check-prefix=GUARD
# RUN: tilerun compile %s::summed --signature 'p=*fp32, n=i32' --emit tile | FileCheck %s --check-prefix=SUM
# RUN: tilerun compile %s::search --signature 'p=*i32, q=*i32, n=i32' --emit tile | FileCheck %s --check-prefix=SEARCH
# RUN: tilerun compile %s::down --signature 'p=*i32, n=i32' --emit tile | FileCheck %s --check-prefix=DOWN
import triton
import triton.language as tl


# JOIN-LABEL: func.func @joins
# JOIN: %[[R:.*]] = scf.if %{{.*}} -> (i32) {
# JOIN:   scf.yield %{{.*}} : i32
# JOIN: } else {
# JOIN:   scf.yield %{{.*}} : i32
# JOIN: }
# JOIN: tile.store %arg0, %[[R]]
@triton.jit
def joins(p, n):
    x = 1
    unread = 2
    if n > 4:
        x = n
        unread = 3
    tl.store(p, x)


# GUARD-LABEL: func.func @guard(%arg0: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.name = "p"}
# GUARD: scf.if
# GUARD-NEXT: } else {
# GUARD-NOT: scf.if
# GUARD:   tile.store
# GUARD-NEXT: }
# GUARD-NEXT: return
@triton.jit
def guard(p, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(p + pid, n)


# SUM-LABEL: func.func @summed
# SUM: %[[S:.*]] = scf.for %[[I:.*]] = %{{.*}} to %arg1 step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (f32) : i32 {
# SUM:   %[[P:.*]] = tile.addptr %arg0, %[[I]]
# SUM:   %[[N:.*]] = arith.addf %[[A]]
# SUM:   scf.yield %[[N]] : f32
# SUM: tile.num_stages = 2
# SUM: tile.store %arg0, %[[S]]
@triton.jit
def summed(p, n):
    acc = 0.0
    for i in tl.range(n, num_stages=2):
        acc += tl.load(p + i)
    tl.store(p, acc)


# A loop that is left early asks its exit flag before its condition.
# SEARCH-LABEL: func.func @search
# SEARCH: scf.while
# SEARCH:   scf.condition
# SEARCH: do
# SEARCH:   tile.load
# SEARCH:   scf.if
@triton.jit
def search(p, q, n):
    for i in range(n):
        if tl.load(p + i) == 7:
            tl.store(q, i)
            break


# DOWN-LABEL: func.func @down
# DOWN: %[[COUNT:.*]] = arith.subi %arg1
# DOWN: scf.for %[[K:.*]] = %{{.*}} to %[[COUNT]]
# DOWN:   %[[I:.*]] = arith.subi %arg1, %[[K]]
# DOWN:   tile.addptr %arg0, %[[I]]
@triton.jit
def down(p, n):
    for i in range(n, 0, -1):
        tl.store(p + i, i)
