// pid (0, 0, 0) idx ( 7) x: (operand 1) 0x00ff
#include "ir/tile/PrintFormat.h"

using namespace mlir;
using namespace tilerun;

/// The conversion of an element.
static std::string getConversion(Type type, bool isSigned, bool hex) {
  if (isa<FloatType>(type))
    return "%f";
  const bool isPointer = isa<tile::PointerType>(type);
  const unsigned bits = isPointer ? 64 : type.getIntOrFloatBitWidth();
  const std::string length = bits > 32 ? "ll" : "";
  if (hex || isPointer) // All digits of the type.
    return "0x%" + (bits < 8 ? "" : "0" + std::to_string(bits / 4)) + length + "x";
  return "%" + length + (isSigned && bits > 1 ? "d" : "u");
}

std::string tile::getPrintFormat(PrintOp op, unsigned operand) {
  std::string text = "pid (%d, %d, %d) ";
  const bool hasValue = operand < op.getValues().size();
  Type type = hasValue ? op.getValues()[operand].getType() : Type();
  if (hasValue) {
    text += "idx (";
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
        // Indices of one tensor are as wide as the largest of them.
        int64_t extent = dim < op.getExtents().size() ? op.getExtents()[dim] : size;
        size_t digits = std::to_string(extent > 0 ? extent - 1 : 0).size();
        text += std::string(dim ? ", %" : "%") + (digits > 1 ? std::to_string(digits) : "") + "d";
      }
    text += op.getPrefix().empty() ? "): " : ") ";
  }
  // A percent sign in the user's text is not a conversion.
  for (char c : op.getPrefix())
    text += c == '%' ? std::string("%%") : std::string(1, c);
  if (!hasValue)
    return text + "\n";
  if (op.getValues().size() > 1)
    text += "(operand " + std::to_string(operand) + ") ";
  const bool isSigned = operand < op.getIsSigned().size() && op.getIsSigned()[operand];
  return text + getConversion(getElementTypeOrSelf(type), isSigned, op.getHex()) + "\n";
}
