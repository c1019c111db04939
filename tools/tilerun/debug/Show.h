// Values as a debugger shows them: elements, shape, type and statistics, as text and as JSON.
#pragma once

#include "tools/tilerun/debug/Debuggee.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilerun::debug {

/// Of the elements of a tensor; the range and the mean are those of the finite ones.
struct Statistics {
  int64_t elements = 0, nans = 0, infinities = 0;
  double least = 0, most = 0, mean = 0;
};
Statistics getStatistics(const host::Tensor &tensor);

/// "min -1.5, max 2, mean 0.25, 3 NaN"
std::string describe(const Statistics &statistics);

/// "float32[8]: [1, 2, …]" with statistics; elements of large tensors are left out.
std::string describe(const host::Value &value);
llvm::json::Object toJson(const host::Value &value);

/// The same of a variable, whose pointers are shown as elements of arguments: "&x[16]".
std::string describe(const Debuggee &debuggee, const interp::Assignment &assignment);
llvm::json::Object toJson(const Debuggee &debuggee, const interp::Assignment &assignment);

/// Everything about where a NaN or an infinity came from, a line each.
std::vector<std::string> describe(const Debuggee &debuggee, const interp::Recording &recording,
                                  const interp::Birth &birth);

/// "k.py:12:5"
std::string formatPosition(const interp::SourcePosition &position);
llvm::json::Object toJson(const interp::SourcePosition &position);

} // namespace tilerun::debug
