// See Origins.h. One walk from a pointer to its operands, which visits each value once, so that
// cycles of loops end.
#include "backends/interpreter/Origins.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

static bool isPointer(Value value) {
  return isa<tile::PointerType>(tile::getElementTypeOrSelf(value.getType()));
}

namespace {

class Walk {
public:
  Walk(func::FuncOp kernel, llvm::ArrayRef<func::CallOp> calls,
       const llvm::DenseMap<Value, Origin> &known)
      : kernel(kernel), calls(calls), known(known) {}

  Origin run(Value start) {
    add(start);
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (auto found = known.find(value); found != known.end() && calls.empty())
        merge(found->second);
      else if (auto argument = dyn_cast<BlockArgument>(value))
        visitArgument(argument);
      else
        visitResult(cast<OpResult>(value));
    }
    llvm::sort(origin.arguments);
    origin.arguments.erase(llvm::unique(origin.arguments), origin.arguments.end());
    return origin;
  }

private:
  void add(Value value) {
    if (seen.insert(value).second)
      pending.push_back(value);
  }
  void merge(const Origin &other) {
    llvm::append_range(origin.arguments, other.arguments);
    origin.unknown |= other.unknown;
  }
  /// The operand of a region's terminator at an index.
  void addYielded(Region &region, unsigned index) {
    if (!region.empty())
      add(region.front().getTerminator()->getOperand(index));
  }

  void visitArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    const unsigned index = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      if (function == kernel) {
        if (isPointer(argument))
          origin.arguments.push_back(index);
        else
          origin.unknown = true;
        return;
      }
      for (func::CallOp call : calls)
        if (call.getCallee() == function.getName())
          return add(call.getOperand(index));
      origin.unknown = true;
    } else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && index > 0) {
      add(loop.getInitArgs()[index - 1]);
      addYielded(loop.getRegion(), index - 1);
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner()->getParent() == &loop.getBefore()) {
        add(loop.getInits()[index]);
        addYielded(loop.getAfter(), index);
      } else {
        add(loop.getConditionOp().getArgs()[index]);
      }
    } else {
      origin.unknown = true;
    }
  }

  void visitResult(OpResult result) {
    Operation *op = result.getOwner();
    const unsigned index = result.getResultNumber();
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) {
          add(loop.getInitArgs()[index]);
          addYielded(loop.getRegion(), index);
        })
        .Case([&](scf::WhileOp loop) { add(loop.getConditionOp().getArgs()[index]); })
        .Case<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>([&](auto) {
          for (Region &region : op->getRegions())
            addYielded(region, index);
        })
        // Pointers that were in memory, in a combination's region or in a function's.
        .Case<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp, tile::ReduceOp, tile::ScanOp,
              tile::MapOp, func::CallOp>([&](auto) { origin.unknown = true; })
        .Default([&](Operation *) {
          bool found = false;
          for (Value operand : op->getOperands())
            if (isPointer(operand)) {
              add(operand);
              found = true;
            }
          origin.unknown |= !found;
        });
  }

  func::FuncOp kernel;
  llvm::ArrayRef<func::CallOp> calls;
  const llvm::DenseMap<Value, Origin> &known;
  llvm::DenseSet<Value> seen;
  llvm::SmallVector<Value> pending;
  Origin origin;
};

} // namespace

Origin OriginFinder::find(Value pointer, func::FuncOp kernel, llvm::ArrayRef<func::CallOp> calls) {
  Origin origin = Walk(kernel, calls, known).run(pointer);
  // Chains of additions in unrolled loops end at the last access's.
  if (calls.empty())
    known[pointer] = origin;
  return origin;
}
