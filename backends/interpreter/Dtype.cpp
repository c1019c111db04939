// Names of storage types, and which one an MLIR type has.
#include "backends/interpreter/Dtype.h"

#include "ir/tile/TileOps.h"

using namespace tilerun;
using namespace tilerun::interp;

llvm::StringRef interp::getName(Dtype type) {
  static constexpr llvm::StringLiteral names[kNumDtypes] = {
      "i1",       "i8",         "i16",       "i32", "i64",  "ptr", "f8E5M2", "f8E5M2FNUZ",
      "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B15", "f16", "bf16", "f32", "f64"};
  return names[static_cast<unsigned>(type)];
}

std::optional<Dtype> interp::getDtype(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Dtype::I1;
    case 8:
      return Dtype::I8;
    case 16:
      return Dtype::I16;
    case 32:
      return Dtype::I32;
    case 64:
      return Dtype::I64;
    default:
      return std::nullopt;
    }
  }
  if (type.isIndex())
    return Dtype::I64;
  return llvm::TypeSwitch<mlir::Type, std::optional<Dtype>>(type)
      .Case<tile::PointerType>([](auto) { return Dtype::Ptr; })
      .Case<tile::F8E4M3B15Type>([](auto) { return Dtype::F8E4M3B15; })
      .Case<mlir::Float8E5M2Type>([](auto) { return Dtype::F8E5M2; })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return Dtype::F8E5M2FNUZ; })
      .Case<mlir::Float8E4M3FNType>([](auto) { return Dtype::F8E4M3FN; })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return Dtype::F8E4M3FNUZ; })
      .Case<mlir::Float16Type>([](auto) { return Dtype::F16; })
      .Case<mlir::BFloat16Type>([](auto) { return Dtype::BF16; })
      .Case<mlir::Float32Type>([](auto) { return Dtype::F32; })
      .Case<mlir::Float64Type>([](auto) { return Dtype::F64; })
      .Default([](mlir::Type) { return std::nullopt; });
}
