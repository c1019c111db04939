// Marks statements and variables for a debugger, where a signature asks for it. The values of names
// exist only here: in the IR, a variable that is assigned another's value leaves no trace.
#include "frontend/sema/Evaluator.h"
#include "ir/tile/TileOps.h"

namespace tilerun::sema {

/// Elements of one tuple that are shown.
static constexpr size_t kMostElements = 64;

bool Evaluator::wantsEvents() {
  // The language's own library and functions of compile-time values are not stepped through.
  if (!options.debugEvents || evaluatesHost || !frame().function || keepsNumbers())
    return false;
  // The regions of reductions, scans and maps compute elements; nothing else may be in them.
  mlir::Block *block = builder.getInsertionBlock();
  for (mlir::Operation *op = block ? block->getParentOp() : nullptr;
       op && !llvm::isa<mlir::func::FuncOp>(op); op = op->getParentOp())
    if (!llvm::isa<mlir::scf::SCFDialect>(op->getDialect()))
      return false;
  return block; // One without a function is of a loop that is tried out.
}

void Evaluator::emitEvent(tile::DebugEvent kind, llvm::StringRef name, SourceRange range) {
  if (wantsEvents())
    tile::DebugEventOp::create(builder, getLocation(range), kind, name, "", mlir::Value());
}

void Evaluator::emitAssigned(llvm::StringRef name, const Value &value, SourceRange range) {
  if (!wantsEvents())
    return;
  auto emit = [&](llvm::StringRef text, mlir::Value held) {
    tile::DebugEventOp::create(builder, getLocation(range), tile::DebugEvent::Assign, name, text,
                               held);
  };
  if (const auto *tensor = value.getIf<TensorValue>())
    return emit(tensor->type.dtype.str(), tensor->value);
  if (const auto *descriptor = value.getIf<DescriptorValue>())
    return emit("a tensor descriptor of blocks " + descriptor->block.str(), mlir::Value());
  if (const TupleValue *tuple = value.getTuple()) {
    for (auto [i, element] : llvm::enumerate(tuple->elements)) {
      if (i == kMostElements)
        break;
      emitAssigned(i < tuple->names.size() ? name.str() + "." + tuple->names[i]
                                           : name.str() + "[" + std::to_string(i) + "]",
                   element, range);
    }
    return;
  }
  if (value.isConstNumber() || value.isNone() || value.is<std::string>() || value.is<DType>())
    emit(value.repr(), mlir::Value());
}

void Evaluator::emitEntered(llvm::StringRef name, llvm::ArrayRef<ast::Parameter> parameters,
                            SourceRange range) {
  if (!wantsEvents())
    return;
  emitEvent(tile::DebugEvent::Enter, name, range);
  for (const ast::Parameter &parameter : parameters)
    if (auto it = env().names.find(parameter.name); it != env().names.end() && it->second.isBound())
      emitAssigned(parameter.name, it->second.value, parameter.range);
}

} // namespace tilerun::sema
