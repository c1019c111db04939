// Formats the lines that kernels print, on the host. Needs no MLIR: plugins without a compiler use
// it too.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tilerun::backend {

/// A conversion: "%d", "%3d", "%llu", "%08x", "%f".
struct PrintConversion {
  size_t length = 0; ///< Of its text; 0: there is none.
  char kind = 0;     ///< d, u, x or f.
  bool isLong = false;
};

/// The conversion at the beginning of `text`, which begins with '%'.
inline PrintConversion parseConversion(llvm::StringRef text) {
  llvm::StringRef rest = text.drop_front();
  PrintConversion conversion;
  // No more digits than a kernel's format would have.
  for (int digits = 0; digits < 3 && !rest.empty() && llvm::isDigit(rest[0]); ++digits)
    rest = rest.drop_front();
  conversion.isLong = rest.consume_front("ll");
  if (rest.empty() || !llvm::StringRef("duxf").contains(rest[0]))
    return {};
  conversion.kind = rest[0];
  conversion.length = text.size() - rest.size() + 1;
  return conversion;
}

/// The text of a conversion: `bits` are those of a double or of an integer, of which a short
/// conversion takes the low 32.
inline std::string formatConversion(llvm::StringRef text, uint64_t bits) {
  const std::string format = text.str();
  const PrintConversion conversion = parseConversion(text);
  auto print = [&](auto value) {
    int size = std::snprintf(nullptr, 0, format.c_str(), value);
    std::string result(size > 0 ? static_cast<size_t>(size) + 1 : 1, 0);
    std::snprintf(result.data(), result.size(), format.c_str(), value);
    result.pop_back();
    return result;
  };
  if (conversion.kind == 'f')
    return print(std::bit_cast<double>(bits));
  if (conversion.isLong)
    return print(static_cast<unsigned long long>(bits));
  return print(static_cast<uint32_t>(bits));
}

enum class PrintValue {
  Given,
  Mismatch, ///< None for this conversion, which is printed literally.
  End       ///< No more values: the line ends.
};

/// One line. `next` gives the bits of the next value.
inline std::string
formatPrintedLine(llvm::StringRef format,
                  llvm::function_ref<PrintValue(PrintConversion, uint64_t &)> next) {
  std::string line;
  for (llvm::StringRef rest = format; !rest.empty();) {
    size_t literal = rest.find('%');
    line += rest.take_front(literal);
    rest = rest.drop_front(std::min(literal, rest.size()));
    if (rest.empty())
      break;
    uint64_t bits = 0;
    PrintConversion conversion = parseConversion(rest);
    PrintValue value = conversion.length ? next(conversion, bits) : PrintValue::Mismatch;
    if (value == PrintValue::End)
      break;
    if (value == PrintValue::Mismatch) {
      line += '%';
      rest = rest.drop_front(rest.starts_with("%%") ? 2 : 1);
      continue;
    }
    line += formatConversion(rest.take_front(conversion.length), bits);
    rest = rest.drop_front(conversion.length);
  }
  return line;
}

} // namespace tilerun::backend
