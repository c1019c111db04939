// Per-thread IR as C: a row of a table for each op that is an expression, a function for each one
// that is not. Integers are held unsigned, so that they wrap; ops that read a sign cast.
#include "backends/template/Compile.h"

#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;

namespace {

/// $0, $1, $2 are the operands; $s casts to the first operand's type with a sign.
struct Expression {
  StringRef op, text;
};
constexpr Expression kExpressions[] = {{"arith.addf", "$0 + $1"},
                                       {"arith.addi", "1u * $0 + $1"},
                                       {"arith.andi", "$0 & $1"},
                                       {"arith.divf", "$0 / $1"},
                                       {"arith.divsi", "$s$0 / $s$1"},
                                       {"arith.divui", "$0 / $1"},
                                       {"arith.extf", "$0"},
                                       {"arith.extsi", "$s$0"},
                                       {"arith.extui", "$0"},
                                       {"arith.fptosi", "(int64_t)$0"},
                                       {"arith.maxnumf", "fmax($0, $1)"},
                                       {"arith.maxsi", "$s$0 > $s$1 ? $0 : $1"},
                                       {"arith.minnumf", "fmin($0, $1)"},
                                       {"arith.minsi", "$s$0 < $s$1 ? $0 : $1"},
                                       {"arith.mulf", "$0 * $1"},
                                       {"arith.muli", "1u * $0 * $1"},
                                       {"arith.negf", "-$0"},
                                       {"arith.ori", "$0 | $1"},
                                       {"arith.remsi", "$s$0 % $s$1"},
                                       {"arith.remui", "$0 % $1"},
                                       {"arith.select", "$0 ? $1 : $2"},
                                       {"arith.shli", "1ull * $0 << $1"},
                                       {"arith.shrsi", "$s$0 >> $1"},
                                       {"arith.shrui", "$0 >> $1"},
                                       {"arith.sitofp", "$s$0"},
                                       {"arith.subf", "$0 - $1"},
                                       {"arith.subi", "1u * $0 - $1"},
                                       {"arith.truncf", "$0"},
                                       {"arith.trunci", "$0"},
                                       {"arith.uitofp", "$0"},
                                       {"arith.xori", "$0 ^ $1"},
                                       {"math.absf", "fabs($0)"},
                                       {"math.exp", "exp($0)"},
                                       {"math.exp2", "exp2($0)"},
                                       {"math.fma", "fma($0, $1, $2)"},
                                       {"math.sqrt", "sqrt($0)"},
                                       {"simt.thread_id", "0"}};

class Writer {
public:
  explicit Writer(func::FuncOp kernel) : kernel(kernel) {}
  FailureOr<std::string> write();

private:
  LogicalResult refuse(Operation *op, const Twine &what);
  LogicalResult writeType(Operation *op, Type type, StringRef &text);
  /// Declares `value` with this expression; scalars only.
  LogicalResult define(Value value, const Twine &expression);
  std::string makeName() { return "v" + std::to_string(count++); }
  StringRef get(Value value) const { return names.find(value)->second.front(); }

  LogicalResult writeBlock(Block &block);
  LogicalResult writeOp(Operation *op);
  LogicalResult writeExpression(Operation *op, StringRef text);
  LogicalResult writeConstant(arith::ConstantOp op);
  LogicalResult writeCompare(arith::CmpIOp op);
  LogicalResult writeCompare(arith::CmpFOp op);
  LogicalResult writeFor(scf::ForOp op);
  LogicalResult writeIf(scf::IfOp op);
  LogicalResult assign(ValueRange to, Operation *yield);
  LogicalResult read(Operation *op, VectorType type, const Twine &address, Value mask, Value other);
  LogicalResult store(Operation *op, Value vector, const Twine &address, Value mask);

  func::FuncOp kernel;
  std::string code;
  llvm::raw_string_ostream os{code};
  unsigned count = 0;
  DenseMap<Value, SmallVector<std::string>> names; ///< Of a vector: those of its elements.
};

} // namespace

LogicalResult Writer::refuse(Operation *op, const Twine &what) {
  return op->emitError() << what << " cannot be compiled for "
                         << templatebackend::getTargetInfo().name << ": it is not supported";
}

LogicalResult Writer::writeType(Operation *op, Type type, StringRef &text) {
  text = type.isInteger(1)    ? "bool"
         : type.isInteger(8)  ? "uint8_t"
         : type.isInteger(16) ? "uint16_t"
         : type.isInteger(32) ? "uint32_t"
         : type.isInteger(64) ? "uint64_t"
         : type.isF32()       ? "float"
         : type.isF64()       ? "double"
                              : "";
  if (!text.empty())
    return success();
  std::string name;
  llvm::raw_string_ostream(name) << "the type '" << type << "'";
  return refuse(op, name);
}

/// A cast to the type with a sign; of one bit, whose one is -1, its negation.
static std::string castToSigned(Type type) {
  return type.isInteger(1) ? "-" : "(int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t)";
}

LogicalResult Writer::define(Value value, const Twine &expression) {
  StringRef type;
  if (failed(writeType(value.getDefiningOp(), value.getType(), type)))
    return failure();
  std::string name = makeName();
  os << type << " " << name << " = (" << type << ")(" << expression << ");\n";
  names[value] = {name};
  return success();
}

LogicalResult Writer::writeExpression(Operation *op, StringRef text) {
  std::string expression;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$')
      expression += text[i];
    else if (char what = text[++i]; what == 's')
      expression += castToSigned(op->getOperand(0).getType());
    else
      expression += get(op->getOperand(what - '0'));
  }
  // A bool would hold 1 for any number but 0.
  if (op->getResult(0).getType().isInteger(1))
    expression = "(" + expression + ") & 1";
  return define(op->getResult(0), expression);
}

LogicalResult Writer::writeConstant(arith::ConstantOp op) {
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    const APInt &value = integer.getValue();
    return define(op, Twine(value.getZExtValue()) + (value.getBitWidth() > 32 ? "ull" : "u"));
  }
  const APFloat value = cast<FloatAttr>(op.getValue()).getValue();
  if (value.isNaN())
    return define(op, "NAN");
  if (value.isInfinity())
    return define(op, value.isNegative() ? "-INFINITY" : "INFINITY");
  char digits[40];
  value.convertToHexString(digits, 0, false, APFloat::rmNearestTiesToEven);
  return define(op, Twine(digits));
}

LogicalResult Writer::writeCompare(arith::CmpIOp op) {
  using enum arith::CmpIPredicate;
  const arith::CmpIPredicate predicate = op.getPredicate();
  const bool isSigned =
      predicate == slt || predicate == sle || predicate == sgt || predicate == sge;
  const char *spelling = predicate == eq                        ? "=="
                         : predicate == ne                      ? "!="
                         : predicate == slt || predicate == ult ? "<"
                         : predicate == sle || predicate == ule ? "<="
                         : predicate == sgt || predicate == ugt ? ">"
                                                                : ">=";
  return writeExpression(op, isSigned ? ("$s$0 " + Twine(spelling) + " $s$1").str()
                                      : ("$0 " + Twine(spelling) + " $1").str());
}

LogicalResult Writer::writeCompare(arith::CmpFOp op) {
  using enum arith::CmpFPredicate;
  switch (op.getPredicate()) {
  case OEQ:
    return writeExpression(op, "$0 == $1");
  case OGT:
    return writeExpression(op, "$0 > $1");
  case OGE:
    return writeExpression(op, "$0 >= $1");
  case OLT:
    return writeExpression(op, "$0 < $1");
  case OLE:
    return writeExpression(op, "$0 <= $1");
  case ORD:
    return writeExpression(op, "$0 == $0 && $1 == $1");
  case UNE:
    return writeExpression(op, "$0 != $1");
  case UNO:
    return writeExpression(op, "$0 != $0 || $1 != $1");
  default:
    return refuse(op, "the comparison '" + arith::stringifyCmpFPredicate(op.getPredicate()) + "'");
  }
}

/// All at once: a value that is passed on may be one that is overwritten.
LogicalResult Writer::assign(ValueRange to, Operation *yield) {
  SmallVector<std::string> copies;
  for (Value value : yield->getOperands()) {
    StringRef type;
    if (failed(writeType(yield, value.getType(), type)))
      return failure();
    copies.push_back(makeName());
    os << type << " " << copies.back() << " = " << get(value) << ";\n";
  }
  for (auto [result, copy] : llvm::zip_equal(to, copies))
    os << get(result) << " = " << copy << ";\n";
  return success();
}

LogicalResult Writer::writeFor(scf::ForOp op) {
  StringRef type;
  if (failed(writeType(op, op.getInductionVar().getType(), type)))
    return failure();
  for (auto [init, result, carried] :
       llvm::zip_equal(op.getInitArgs(), op.getResults(), op.getRegionIterArgs())) {
    if (failed(define(result, get(init))))
      return failure();
    SmallVector<std::string> name = names[result];
    names[carried] = std::move(name);
  }
  std::string counter = makeName();
  names[op.getInductionVar()] = {counter};
  std::string cast = castToSigned(op.getInductionVar().getType());
  os << "for (" << type << " " << counter << " = " << get(op.getLowerBound()) << "; " << cast
     << counter << " < " << cast << get(op.getUpperBound()) << "; " << counter
     << " += " << get(op.getStep()) << ") {\n";
  if (failed(writeBlock(*op.getBody())) ||
      failed(assign(op.getResults(), op.getBody()->getTerminator())))
    return failure();
  os << "}\n";
  return success();
}

LogicalResult Writer::writeIf(scf::IfOp op) {
  for (Value result : op.getResults())
    if (failed(define(result, "0")))
      return failure();
  os << "if (" << get(op.getCondition()) << ") {\n";
  for (Region *region : op.getRegions()) {
    if (region->empty())
      continue;
    if (region == &op.getElseRegion())
      os << "} else {\n";
    if (failed(writeBlock(region->front())) ||
        failed(assign(op.getResults(), region->front().getTerminator())))
      return failure();
  }
  os << "}\n";
  return success();
}

LogicalResult Writer::read(Operation *op, VectorType type, const Twine &address, Value mask,
                           Value other) {
  StringRef element;
  if (failed(writeType(op, type.getElementType(), element)))
    return failure();
  SmallVector<std::string> elements;
  const std::string place = address.str();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    elements.push_back(makeName());
    os << element << " " << elements.back() << " = ";
    if (mask)
      os << "!" << get(mask) << " ? " << (other ? StringRef(names[other][i]) : "0") << " : ";
    os << "((" << element << " *)(" << place << "))[" << i << "];\n";
  }
  names[op->getResult(0)] = std::move(elements);
  return success();
}

LogicalResult Writer::store(Operation *op, Value vector, const Twine &address, Value mask) {
  StringRef element;
  if (failed(writeType(op, cast<VectorType>(vector.getType()).getElementType(), element)))
    return failure();
  const std::string place = address.str();
  for (auto [i, value] : llvm::enumerate(names[vector])) {
    if (mask)
      os << "if (" << get(mask) << ") ";
    os << "((" << element << " *)(" << place << "))[" << i << "] = " << value << ";\n";
  }
  return success();
}

LogicalResult Writer::writeOp(Operation *op) {
  auto place = [&](auto access) {
    return (get(access.getBuffer()) + " + " + get(access.getOffset())).str();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::YieldOp, func::ReturnOp>([](auto) { return success(); }) // Their parents'.
      .Case<simt::BarrierOp>([](auto) { return success(); }) // A single thread never waits.
      .Case<arith::ConstantOp>([&](auto constant) { return writeConstant(constant); })
      .Case<arith::CmpIOp, arith::CmpFOp>([&](auto compare) { return writeCompare(compare); })
      .Case<scf::ForOp>([&](auto loop) { return writeFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return writeIf(branch); })
      .Case<tile::ProgramIdOp>(
          [&](auto id) { return define(id, "program[" + Twine(unsigned(id.getAxis())) + "]"); })
      .Case<tile::NumProgramsOp>([&](auto number) {
        return define(number, "programs[" + Twine(unsigned(number.getAxis())) + "]");
      })
      .Case<vector::FromElementsOp>([&](auto made) {
        auto &elements = names[made];
        for (Value element : made.getElements())
          elements.push_back(get(element).str());
        return success();
      })
      .Case<vector::ToElementsOp>([&](auto taken) {
        const SmallVector<std::string> elements = names[taken.getSource()];
        for (auto [result, element] : llvm::zip_equal(taken.getElements(), elements))
          names[result] = {element};
        return success();
      })
      .Case<simt::LoadOp>([&](auto load) {
        return read(op, load.getType(), get(load.getAddress()), load.getMask(), load.getOther());
      })
      .Case<simt::StoreOp>([&](auto access) {
        return store(op, access.getValue(), get(access.getAddress()), access.getMask());
      })
      .Case<simt::SharedAllocOp>([&](auto buffer) {
        names[buffer] = {makeName()};
        os << "_Alignas(16) char " << get(buffer) << "[" << buffer.getBytes() << "];\n";
        return success();
      })
      .Case<simt::SharedLoadOp>([&](auto load) {
        return read(op, cast<VectorType>(load.getType()), place(load), {}, {});
      })
      .Case<simt::SharedStoreOp>([&](auto access) {
        return store(op, access.getValue(), place(access), access.getMask());
      })
      .Default([&](Operation *) {
        for (const Expression &row : kExpressions)
          if (op->getName().getStringRef() == row.op)
            return writeExpression(op, row.text);
        return refuse(op, "'" + op->getName().getStringRef() + "'");
      });
}

LogicalResult Writer::writeBlock(Block &block) {
  for (Operation &op : block)
    if (failed(writeOp(&op)))
      return failure();
  return success();
}

FailureOr<std::string> Writer::write() {
  os << "#include <stdbool.h>\n#include <stdint.h>\n#include <tgmath.h>\n\nvoid "
     << kernel.getName() << "(const uint32_t program[3], const uint32_t programs[3]";
  for (Value argument : kernel.getArguments()) {
    StringRef type;
    if (failed(writeType(kernel, argument.getType(), type)))
      return failure();
    names[argument] = {makeName()};
    os << ", " << type << " " << get(argument);
  }
  os << ") {\n";
  if (failed(writeBlock(kernel.getBody().front())))
    return failure();
  os << "}\n";
  return code;
}

FailureOr<std::string> templatebackend::writeC(func::FuncOp kernel) {
  return Writer(kernel).write();
}
