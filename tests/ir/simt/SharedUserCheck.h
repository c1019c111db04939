// The check that no op forgets to say how it touches shared memory, for every test of dialects that
// take part in per-thread IR: simt's, and a backend's own.
#pragma once

#include "ir/simt/SimtOps.h"

#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

namespace tilerun::test {

/// A dialect of which one op implements SharedUser takes part in per-thread IR: all of its ops must
/// implement it. Names those that do not. Returns the dialects that take part; one of which no op
/// implements it is not among them, and is not checked: barrier insertion refuses its ops where
/// they may touch shared memory. `context` has loaded its dialects.
inline llvm::StringSet<> expectSharedUsers(mlir::MLIRContext &context) {
  llvm::StringSet<> dialects;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<simt::SharedUser>())
      dialects.insert(name.getDialectNamespace());
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (dialects.contains(name.getDialectNamespace()))
      EXPECT_TRUE(name.hasInterface<simt::SharedUser>())
          << name.getStringRef().str() << " declares neither NoSharedUse nor SaysSharedUse";
  return dialects;
}

} // namespace tilerun::test
