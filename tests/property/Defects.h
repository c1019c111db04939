// Known defects of drivers. On a device with such a driver kernels are written around these
// (`Expr::guarded`); on every other device they are not.
//
// Each defect has a kernel that shows it. `tilerun-property --defects` runs these, and fails for
// one that shows nothing any more: then it leaves the table.
#pragma once

#include "tests/matrix/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilerun::property {

struct Defect {
  const char *device; ///< How descriptions of devices that have it begin.
  const char *name;
  const char *guard;  ///< What a kernel does about it.
  const char *dtype;  ///< Of the tensors `x` and `o`.
  double low, high;   ///< Contents of `x`.
  const char *source; ///< kernel(x, o): of 16 elements each.
};

llvm::ArrayRef<Defect> getDefects();

/// Whether a device's driver has any.
bool hasDefects(llvm::StringRef description);

/// The kernel that shows a defect, where the device's result is not the interpreter's.
matrix::Cell makeCell(const Defect &defect);

} // namespace tilerun::property
