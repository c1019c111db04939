// See BlockParts.h.
#include "ir/schedule/BlockParts.h"

#include "ir/tile/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

static RankedTensorType getTensor(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

/// The dimension of a reshaped tensor whose slices are those of the result's: as many elements are
/// in front of both, and both can be cut.
static BlockPart findReshaped(tile::ReshapeOp op, BlockPart part, unsigned blocks) {
  ArrayRef<int64_t> from = getTensor(op.getSource()).getShape(),
                    to = getTensor(op.getResult()).getShape();
  int64_t front = 1;
  for (int64_t size : to.take_front(part))
    front *= size;
  for (auto [dim, size] : llvm::enumerate(from)) {
    if (front == 1 && size % blocks == 0)
      return BlockPart(dim);
    if (front % size)
      break;
    front /= size;
  }
  return kWhole;
}

static OperandParts getDotParts(tile::DotOp dot, BlockPart part) {
  BlockPart columns = BlockPart(getTensor(dot.getResult()).getRank()) - 1;
  if (part == columns)
    return {{kWhole, part, part}, ""};
  if (part == columns - 1)
    return {{part, kWhole, part}, ""};
  return {{part, part, part}, ""}; // Batches.
}

static OperandParts getGatherParts(tile::GatherOp gather, BlockPart part) {
  return {{part == BlockPart(gather.getAxis()) ? kWhole : part, part}, ""};
}

/// The dimension of what is reduced along `axis` that is `part` of the result.
static BlockPart beforeReduction(BlockPart part, unsigned axis) {
  return part + (part >= BlockPart(axis));
}

OperandParts schedule::getOperandParts(Operation *op, BlockPart part, unsigned blocks) {
  SmallVector<BlockPart, 4> all(op->getNumOperands(), kWhole);
  if (part == kWhole)
    return {all, ""};
  auto every = [&](BlockPart which) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      all[i] = getTensor(operand) ? which : kWhole;
    return OperandParts{all, ""};
  };
  auto refuse = [&](const Twine &why) { return OperandParts{{}, why.str()}; };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ? every(kWhole)
                                                       : refuse("it lists its elements");
  if (isa<tile::MakeRangeOp, tile::SplatOp>(op))
    return every(kWhole);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return every(part - (part > BlockPart(expand.getAxis())));
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return every(getTensor(broadcast.getSource()).getDimSize(part) == 1 ? kWhole : part);
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return every(trans.getOrder()[part]);
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    BlockPart from = findReshaped(reshape, part, blocks);
    return from == kWhole ? refuse("its dimensions are cut in other places") : every(from);
  }
  if (auto join = dyn_cast<tile::JoinOp>(op))
    return part == BlockPart(getTensor(join.getResult()).getRank()) - 1
               ? refuse("the dimension tells its operands apart")
               : every(part);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return getGatherParts(gather, part);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return getDotParts(dot, part);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return every(beforeReduction(part, reduce.getAxis()));
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return part == BlockPart(scan.getAxis()) ? refuse("it scans along the dimension") : every(part);
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op))
    return assembly.getPure() && assembly.getPack() == 1
               ? every(part)
               : refuse("its instances may take any elements");
  if (isElementwise(op) ||
      isa<tile::HintOp, tile::SplitOp, tile::MapOp, tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp,
          tile::AtomicCASOp, tile::AssertOp>(op))
    return every(part);
  return refuse("it needs all of its operands");
}

CheapValues::CheapValues(func::FuncOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !getTensor(op->getResult(0)))
      return;
    auto constant = dyn_cast<arith::ConstantOp>(op);
    bool isSource = isa<tile::MakeRangeOp, tile::SplatOp>(op) ||
                    (constant && isa<SplatElementsAttr>(constant.getValue()));
    bool moves =
        isElementwise(op) ||
        isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, tile::ReshapeOp, tile::HintOp>(
            op);
    if (isSource || (moves && llvm::all_of(op->getOperands(), [&](Value operand) {
                       return !getTensor(operand) || values.contains(operand);
                     })))
      values.insert(op->getResult(0));
  });
}

//===----------------------------------------------------------------------===//
// What is wanted
//===----------------------------------------------------------------------===//

BlockPart BlockParts::getPart(Value value) const {
  auto it = single.find(value);
  return it == single.end() ? kWhole : it->second.first;
}

void BlockParts::add(ValueRange values, BlockPart part, Operation *user) {
  for (Value value : values)
    work.push_back({value, part, user});
}

std::optional<Refusal> BlockParts::want(Value value, BlockPart part, Operation *user) {
  work.push_back({value, part, user});
  while (!work.empty())
    if (std::optional<Refusal> refusal = visit(work.pop_back_val()))
      return refusal;
  return std::nullopt;
}

static std::string describe(BlockPart part) {
  return part == kWhole ? "all of it" : "parts along dimension " + std::to_string(part);
}

static std::string describe(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'" + describeLine(op->getLoc());
}

std::optional<Refusal> BlockParts::visit(const Want &next) {
  auto [value, part, user] = next;
  RankedTensorType type = getTensor(value);
  if (!type)
    part = kWhole;
  Operation *op = value.getDefiningOp();
  if (part != kWhole && type.getDimSize(part) % blocks)
    return Refusal{op ? op : user, "dimension " + std::to_string(part) + " of this value has " +
                                       std::to_string(type.getDimSize(part)) +
                                       " elements, which are not parts for " +
                                       std::to_string(blocks) + " blocks"};
  if (cheap->contains(value)) {
    if (!several.insert({value, part}).second)
      return std::nullopt;
  } else if (auto [it, isNew] = single.try_emplace(value, part, user); !isNew) {
    auto [known, first] = it->second;
    if (known == part)
      return std::nullopt;
    return Refusal{op ? op : user, "its value is computed once, and " + describe(first) +
                                       " needs " + describe(known) + ", but " + describe(user) +
                                       " needs " + describe(part)};
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    visitArgument(argument, part);
    return std::nullopt;
  }
  return visitControl(cast<OpResult>(value), part) ? std::nullopt : visitOperands(op, part);
}

/// What crosses a loop has one part everywhere.
void BlockParts::visitArgument(BlockArgument argument, BlockPart part) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return;
    number -= loop.getNumInductionVars();
    add({loop.getInitArgs()[number], loop.getYieldedValues()[number], loop.getResult(number)}, part,
        loop);
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody())
      add({loop.getInits()[number], loop.getYieldOp()->getOperand(number)}, part, loop);
    else
      add({loop.getConditionOp().getArgs()[number], loop.getResult(number)}, part, loop);
  }
}

bool BlockParts::visitControl(OpResult result, BlockPart part) {
  unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    add(loop.getRegionIterArg(number), part, loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    add(loop.getAfterArguments()[number], part, loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    add({branch.thenYield()->getOperand(number), branch.elseYield()->getOperand(number)}, part,
        branch);
  else
    return false;
  return true;
}

std::optional<Refusal> BlockParts::visitOperands(Operation *op, BlockPart part) {
  OperandParts needed = getOperandParts(op, part, blocks);
  if (!needed.why.empty())
    return Refusal{op, "a part along dimension " + std::to_string(part) +
                           " of the result of this '" + op->getName().getStringRef().str() +
                           "' cannot be computed alone: " + needed.why};
  if (op->getNumResults() > 1)
    add(op->getResults(), part, op);
  for (auto [operand, operandPart] : llvm::zip(op->getOperands(), needed.parts))
    work.push_back({operand, operandPart, op});
  // The functions of reductions, scans and maps may use values from around them.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!region.isAncestor(operand.getParentRegion()))
          work.push_back({operand, kWhole, op});
    });
  return std::nullopt;
}
