// Slots whose form does not suit what fills them: an access of several elements needs them side by side in the slot, and a box the tensor's
// contiguous dimension. Written by hand, before and behind the expansion.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate > %t.chunks
// RUN: tile-opt %t.chunks --schedule-expand > %t.expanded
// RUN: tile-opt %t.expanded --lower-to-threads -o /dev/null
// RUN: sed 's/inner = 1/inner = 0/' %t.chunks | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: error: 'tile.load' op cannot follow its schedule: elements that are neighbours in memory are not neighbours in its slot
// RUN: sed 's/inner = 1/inner = 0/' %t.expanded | not tile-opt --lower-to-threads 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: error: 'sched.copy' op copies neighbours in memory to places that are not neighbours in its slot

// RUN: echo 'loop #0: slots=3 copies=boxes roles=producer:1,consumer' > %t.hand
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=file=%t.hand --schedule-roles=file=%t.hand --schedule-allocate > %t.boxes
// RUN: tile-opt %t.boxes --schedule-expand > %t.boxed
// RUN: sed 's/inner = 1/inner = 0/' %t.boxes | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=BOXES
// BOXES: error: 'tile.load' op cannot follow its schedule: its elements are not contiguous along dimension 0
// RUN: sed 's/sched.box<base = 1,/sched.box<base = 0,/' %t.boxes | not tile-opt --schedule-expand 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'tile.load' op cannot follow its schedule: its box is not the one that 'sched.box' says

// What a launch describes a tensor from.
// RUN: sed 's/#sched.box<base = 1,/#sched.box<base = 2,/' %t.boxed | not tile-opt 2>&1 | FileCheck %s --check-prefix=BASE
// BASE: error: 'sched.copy_box' op has a tensor that begins at argument 2 of the kernel, which is not a pointer
// RUN: sed 's/#sched.box<base = 1,/#sched.box<base = 9,/' %t.boxed | not tile-opt 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: error: 'sched.copy_box' op has a tensor that begins at argument 9 of the kernel, which is not a pointer
// RUN: sed 's/natural = \[\]/natural = [0]/' %t.boxed | not tile-opt 2>&1 | FileCheck %s --check-prefix=NATURAL
// NATURAL: error: 'sched.copy_box' op has a tensor that depends on argument 0 of the kernel, which is not an integer
// RUN: sed 's/element = f16/element = bf16/' %t.boxed | not tile-opt 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: 'sched.copy_box' op has a box of 'bf16' for 'tensor<32x32xf16>'
