// The table of drivers' defects.
#include "tests/property/Defects.h"

#include <limits>

using namespace tilerun;
using namespace tilerun::property;

/// Mesa 22.3.6 of Debian 12. Its code generator (gallivm) drops products and quotients with an
/// operand that LLVM knows to be 0, whatever the shader says about infinities and NaN; and gives
/// atomics of integers the type of their operand's producer.
static constexpr const char *kLavapipe = "llvmpipe (LLVM 15.";

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Zeros that no pass before the driver's finds, and x.
#define KERNEL_WITH_ZEROS                                                                          \
  "@triton.jit\n"                                                                                  \
  "def kernel(x, o):\n"                                                                            \
  "    i = tl.arange(0, 2)\n"                                                                      \
  "    v = tl.load(x + i)\n"                                                                       \
  "    z = tl.sort((tl.broadcast_to(tl.full([1], 0, tl.int32), [2]) & 127).to(tl.float32))\n"

/// The bits of positive floats.
#define KERNEL_WITH_BITS                                                                           \
  "@triton.jit\n"                                                                                  \
  "def kernel(x, o):\n"                                                                            \
  "    i = tl.arange(0, 16)\n"                                                                     \
  "    v = (tl.load(x + i) & 15).to(tl.float32).to(tl.int32, bitcast=True)\n"                      \
  "    tl.store(o + i, -18)\n"                                                                     \
  "    tl.debug_barrier()\n"

static constexpr Defect kDefects[] = {
    {kLavapipe, "product with zero: x * 0 is 0 also where x is infinite or NaN",
     "both factors are finite", "fp32", kNaN, kNaN,
     KERNEL_WITH_ZEROS "    tl.store(o + i, v * z)\n"},
    {kLavapipe, "fused product with zero: the same in tl.fma", "both factors are finite", "fp32",
     kNaN, kNaN, KERNEL_WITH_ZEROS "    tl.store(o + i, tl.fma(z, v, z))\n"},
    {kLavapipe, "quotient of zero: 0 / x is 0 also where x is NaN", "no divisor is NaN", "fp32",
     kNaN, kNaN, KERNEL_WITH_ZEROS "    tl.store(o + i, tl.fdiv(z, v, ieee_rounding=True))\n"},
    {kLavapipe, "quotient by zero: x / 0 is undefined, and its store is dropped", "no divisor is 0",
     "fp32", 1, 2, KERNEL_WITH_ZEROS "    tl.store(o + i, tl.fdiv(v, z, ieee_rounding=True))\n"},
    {kLavapipe, "atomic_min of a float's bits compares floats",
     "an atomic's operand comes from an operation of integers", "i32", 0, 100,
     KERNEL_WITH_BITS "    tl.atomic_min(o + i, v)\n"},
    {kLavapipe, "atomic_add of a float's bits ends the process",
     "an atomic's operand comes from an operation of integers", "i32", 0, 100,
     KERNEL_WITH_BITS "    tl.atomic_add(o + i, v)\n"},
};

llvm::ArrayRef<Defect> property::getDefects() { return kDefects; }

bool property::hasDefects(llvm::StringRef description) {
  for (const Defect &defect : kDefects)
    if (description.starts_with(defect.device))
      return true;
  return false;
}

matrix::Cell property::makeCell(const Defect &defect) {
  matrix::Cell cell;
  cell.op = defect.name;
  cell.source = std::string("import triton\nimport triton.language as tl\n\n\n") + defect.source;
  cell.numWarps = 1;
  DType type = matrix::type(defect.dtype);
  matrix::TensorArgument x{"x", type, 16, {}, false, false}, o{"o", type, 16, {}, true, false};
  x.fill = {matrix::Fill::Kind::Range, defect.low, defect.high};
  o.fill.kind = matrix::Fill::Kind::Pattern;
  cell.tensors = {x, o};
  cell.tolerance = matrix::Tolerance{matrix::Rule::Number, 0, 0};
  return cell;
}
