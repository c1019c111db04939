// Names, widths and kinds of element types, from the list in Scalars.def.
#include "frontend/types/DType.h"
#include "frontend/types/Text.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilerun;

namespace {
struct ScalarInfo {
  llvm::StringLiteral name;
  llvm::StringLiteral shortName;
  unsigned bits;
  ScalarKind kind;
};

constexpr ScalarInfo kScalars[] = {
#define SCALAR(Enum, Name, Short, Bits, Kind) {Name, Short, Bits, ScalarKind::Kind},
#include "frontend/types/Scalars.def"
};

/// Deepest pointer that is accepted in text: `DType::pointerDepth` is a byte.
constexpr unsigned kMaxPointerDepth = 8;

const ScalarInfo &infoOf(Scalar scalar) { return kScalars[static_cast<unsigned>(scalar)]; }

std::optional<Scalar> parseScalar(llvm::StringRef text) {
  for (unsigned i = 0; i < std::size(kScalars); ++i)
    if (text == kScalars[i].name || text == kScalars[i].shortName)
      return static_cast<Scalar>(i);
  return llvm::StringSwitch<std::optional<Scalar>>(text)
      .Cases({"half", "f16"}, Scalar::F16)
      .Cases({"float", "f32"}, Scalar::F32)
      .Cases({"double", "f64"}, Scalar::F64)
      .Cases({"bool", "uint1", "u1"}, Scalar::Int1)
      .Case("int", Scalar::Int32)
      .Cases({"float8_e5m2", "f8e5", "f8E5M2"}, Scalar::F8E5)
      .Cases({"float8_e4m3fn", "f8e4nv", "f8E4M3FN"}, Scalar::F8E4NV)
      .Cases({"float8_e4m3fnuz", "f8e4b8", "f8E4M3FNUZ"}, Scalar::F8E4B8)
      .Cases({"float8_e5m2fnuz", "f8e5b16", "f8E5M2FNUZ"}, Scalar::F8E5B16)
      .Cases({"f8e4b15", "f8E4M3B15"}, Scalar::F8E4B15)
      .Default(std::nullopt);
}
} // namespace

ScalarKind DType::getKind() const { return infoOf(scalar).kind; }

unsigned DType::getBits() const { return isPointer() ? 64 : infoOf(scalar).bits; }

bool DType::isInt() const {
  return !isPointer() && getKind() != ScalarKind::Void && getKind() != ScalarKind::Float;
}
bool DType::isSigned() const { return !isPointer() && getKind() == ScalarKind::Int; }
bool DType::isUnsigned() const {
  return !isPointer() && (getKind() == ScalarKind::UInt || getKind() == ScalarKind::Bool);
}
bool DType::isFloat() const { return !isPointer() && getKind() == ScalarKind::Float; }
bool DType::isFp8() const { return isFloat() && getBits() == 8; }

std::string tilerun::getTextOf(DType type) {
  if (type.isPointer())
    return (type.isConst ? "const_pointer<" : "pointer<") + getTextOf(type.getPointee()) + ">";
  return type.isFloat() ? type.signature() : type.str();
}

std::string DType::str() const {
  if (!isPointer())
    return infoOf(scalar).name.str();
  std::string inner = getPointee().str();
  return isConst ? "pointer<const " + inner + ">" : "pointer<" + inner + ">";
}

std::string DType::signature() const {
  std::string out(pointerDepth, '*');
  if (isPointer() && isConst)
    out += 'k';
  return out + infoOf(scalar).shortName.str();
}

std::optional<DType> tilerun::parseDType(llvm::StringRef text) {
  DType type;
  while (text.consume_front("*")) {
    if (type.pointerDepth == kMaxPointerDepth)
      return std::nullopt;
    ++type.pointerDepth;
  }
  if (type.isPointer() && text.consume_front("k"))
    type.isConst = true;
  while (text.starts_with("pointer<") && text.ends_with(">")) {
    text = text.drop_front(8).drop_back(1);
    if (type.pointerDepth == kMaxPointerDepth)
      return std::nullopt;
    ++type.pointerDepth;
    if (text.consume_front("const "))
      type.isConst = true;
  }
  std::optional<Scalar> scalar = parseScalar(text);
  if (!scalar)
    return std::nullopt;
  type.scalar = *scalar;
  return type;
}

int64_t TensorType::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string TensorType::str() const {
  std::string out = dtype.str();
  if (shape.empty())
    return out;
  out += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + ']';
}
