// Known defects of drivers. On a device with such a driver kernels are written around these
// (`Expr::guarded`); on every other device they are not.
//
// Each defect has a kernel that shows it. `tilerun-property --defects` runs these, and fails for
// one that no longer shows: then it leaves the table.
#pragma once

#include "tests/matrix/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilerun::property {

struct Defect {
  const char *device; ///< The prefix of the descriptions of affected devices.
  const char *name;
  const char *guard;  ///< The kernel's workaround.
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
