// The uses of a kernel's parameters, by syntax alone: enough to guess their types.
#pragma once

#include "frontend/module/Module.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tilerun::corpus {

/// One parameter of a function.
struct ParameterUse {
  bool isPointer = false; ///< Accesses go through it, here or in a function that it is passed to.
  bool isRead = false, isWritten = false; ///< Through it.
  bool holdsIndices = false; ///< Values loaded through it take part in addresses or loop bounds.
  bool isDescriptor = false; ///< It has `.load`, `.store` and the like.
  unsigned rank = 0;         ///< Of a descriptor: the coordinates that it is given, if known.
  bool isCount = false;      ///< A size of a tensor, or a loop bound.
  bool isShape = false;      ///< A size of a tensor.
  bool isUnrolled = false;   ///< A bound of a loop that is unrolled.
  bool isCondition = false;  ///< Tested for its truth alone.
  bool isDType = false;      ///< Something is converted to it.
  bool isCalled = false;     ///< It is a function.
  bool isComparedToNone = false;
  bool isOperand = false; ///< Of `-`, `*`, `/` and the like: it is a number.
  bool isIndex = false;   ///< It takes part in addresses or loop bounds: an integer, or a pointer.
  bool isIndexed = false; ///< By a number: it is a tuple, or a tensor.
  std::vector<std::string> strings; ///< It is compared with these, in source order.
};

/// By parameter name. Functions that are called are followed, recursion ends.
llvm::StringMap<ParameterUse> analyzeUses(const JitFunction &function);

/// Whether a function returns values, and so is meant to be called rather than launched.
bool returnsValue(const JitFunction &function);

} // namespace tilerun::corpus
