// The option operands-across-k, which a module, tools and plugins know.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>

namespace tilerun::distribute {

/// How an operand that does not lie along k in memory comes to an instruction of warp groups that
/// takes no other order.
enum class AcrossK {
  Auto,      ///< As the compiler thinks best.
  Registers, ///< Threads read it from shared memory into registers, wherever the product allows.
  Copies     ///< It is transposed on its way to shared memory, by copies of one element.
};

inline constexpr std::array<llvm::StringLiteral, 3> kAcrossKNames{"auto", "registers", "copies"};

inline llvm::StringRef toString(AcrossK way) { return kAcrossKNames[unsigned(way)]; }
inline std::optional<AcrossK> parseAcrossK(llvm::StringRef text) {
  for (unsigned i = 0; i < kAcrossKNames.size(); ++i)
    if (text == kAcrossKNames[i])
      return AcrossK(i);
  return std::nullopt;
}

} // namespace tilerun::distribute
