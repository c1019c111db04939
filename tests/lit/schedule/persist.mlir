// schedule-persist on text: a kernel without roles is left alone, and one whose producer copies chunks is not persistent.
// RUN: split-file %s %t
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-roles --schedule-persist=persistent=on --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=sched.persistent --implicit-check-not=kernel-
// PLAIN: func.func @k
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-persist=persistent=on --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=CHUNKS --implicit-check-not=sched.persistent
// CHUNKS: kernel-not-persistent {{.*}}each program is launched by itself: its producer does not copy boxes
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages=file=%t/roles --schedule-roles=file=%t/roles --schedule-persist=persistent=off --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=sched.persistent --implicit-check-not=kernel-
// RUN: not tile-opt %S/Inputs/product.mlir --target=generic: --tile-distribute --schedule-persist=persistent=yes 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: 'yes' is not a choice of persistent; use 'auto', 'off' or 'on'

//--- roles
loop #0: slots=4 roles=producer:4,consumer
