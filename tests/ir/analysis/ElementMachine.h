// Runs a program over integers and pointers on concrete elements, and checks what the axis analysis
// claims about each value against all of the value's elements.
#pragma once

#include "ir/analysis/AxisInfo.h"

#include <map>
#include <string>
#include <vector>

namespace tilerun::test {

/// The elements of a tensor, in rows, or of a scalar; each one's bits from the lowest up.
using Elements = std::vector<uint64_t>;

/// The bits of an element: an integer's width, 64 of a pointer.
unsigned widthOf(mlir::Type type);
/// The low `width` bits.
uint64_t mask(uint64_t value, unsigned width);

/// Executes ops on concrete elements, and checks the claims about each value as it appears.
class ElementMachine {
public:
  explicit ElementMachine(const AxisInfoMap &claims) : claims(claims) {}

  /// False where the program did something undefined; then nothing is claimed from there on.
  bool runBlock(mlir::Block &block);
  void set(mlir::Value value, Elements elements) {
    for (uint64_t &element : elements)
      element = mask(element, widthOf(value.getType()));
    check(value, elements);
    values[value] = std::move(elements);
  }
  std::string failure;
  uint64_t factsChecked = 0, strongFacts = 0;

private:
  const Elements &get(mlir::Value value) { return values.find(value)->second; }
  bool runOp(mlir::Operation &op);
  bool elementwise(mlir::Operation &op,
                   llvm::function_ref<std::optional<uint64_t>(llvm::ArrayRef<uint64_t>)> f);
  void check(mlir::Value value, const Elements &elements);

  const AxisInfoMap &claims;
  std::map<mlir::Value, Elements, bool (*)(mlir::Value, mlir::Value)> values{
      [](mlir::Value a, mlir::Value b) { return a.getAsOpaquePointer() < b.getAsOpaquePointer(); }};
};

} // namespace tilerun::test
