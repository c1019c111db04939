// Single operations: constants, elementwise arithmetic, and the tile dialect.
#include "backends/interpreter/Decoder.h"
#include "backends/interpreter/KernelBuilder.h"
#include "backends/interpreter/Steps.h"
#include "ir/tile/PrintFormat.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

/// Constants up to this size are made once a thread and stay; larger ones are made where they are
/// used, so that they do not count as alive for the whole program.
static constexpr size_t kMaxLastingConstant = 64 << 10;

static LogicalResult unsupported(Operation &op, const llvm::Twine &detail = "") {
  InFlightDiagnostic diagnostic = op.emitError();
  diagnostic << "the cpu device does not support '" << op.getName() << "' here";
  if (!op.getOperandTypes().empty())
    diagnostic << " on (" << op.getOperandTypes() << ")";
  if (!op.getResultTypes().empty())
    diagnostic << " to (" << op.getResultTypes() << ")";
  diagnostic << detail;
  return diagnostic;
}

/// The elements' bytes as they lie in a buffer; one element for a splat.
static FailureOr<std::string> constantBytes(Attribute value, Dtype type) {
  const unsigned size = sizeOf(type);
  std::string bytes;
  auto put = [&](const APInt &bits) {
    const uint64_t word = bits.extractBitsAsZExtValue(std::min(64u, bits.getBitWidth()), 0);
    bytes.append(reinterpret_cast<const char *>(&word), size);
  };
  if (!value) { // Poison: any value will do.
    bytes.assign(size, 0);
  } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
    put(integer.getValue());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    put(number.getValue().bitcastToAPInt());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (isa<FloatType>(dense.getElementType())) {
      if (dense.isSplat())
        put(dense.getSplatValue<APFloat>().bitcastToAPInt());
      else
        for (const APFloat &element : dense.getValues<APFloat>())
          put(element.bitcastToAPInt());
    } else if (dense.getElementType().isIntOrIndex()) {
      if (dense.isSplat())
        put(dense.getSplatValue<APInt>());
      else
        for (const APInt &element : dense.getValues<APInt>())
          put(element);
    } else {
      return failure();
    }
  } else {
    return failure();
  }
  return bytes;
}

LogicalResult Decoder::decodeConstant(Operation &op, Attribute value, StepList &steps) {
  auto shape = shapeOf(op.getResult(0), op);
  if (failed(shape))
    return failure();
  auto bytes = constantBytes(value, shape->type);
  if (failed(bytes))
    return unsupported(op);
  Step step;
  step.run = runConstant;
  step.count = shape->count;
  step.resultTypes = {shape->type};
  step.batched = lanes != 0;
  step.text = std::move(*bytes);
  const bool lasting = !lanes && shape->bytes() <= kMaxLastingConstant;
  auto slot = lasting ? allocate(shape->bytes(), op, true) : define(op.getResult(0), op);
  if (failed(slot))
    return failure();
  slots[op.getResult(0)] = *slot;
  step.results = {*slot};
  return append(op, std::move(step), lasting ? program.setup : steps);
}

/// Arithmetic on floats; moves, selections, comparisons and conversions do not count.
static uint8_t countOperations(Operation &op) {
  if (!isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType())))
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  if (isa<math::AbsFOp, math::CopySignOp>(op))
    return 0;
  return isa<math::MathDialect>(op.getDialect()) ||
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

LogicalResult Decoder::decodeElementwise(Operation &op, StepList &steps) {
  if (op.getNumOperands() == 0 || op.getNumResults() == 0)
    return unsupported(op);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto condition = shapeOf(select.getCondition(), op), value = shapeOf(select.getResult(), op);
    if (failed(condition) || failed(value))
      return failure();
    if (condition->isScalar && !value->isScalar) {
      auto step = makeStep(op, runSelectScalar);
      if (failed(step))
        return failure();
      step->numbers = {int64_t(value->bytes())};
      return append(op, std::move(*step), steps);
    }
  }
  llvm::SmallVector<Dtype> operands, results;
  for (Value operand : op.getOperands()) {
    auto shape = shapeOf(operand, op);
    if (failed(shape))
      return failure();
    operands.push_back(shape->type);
  }
  for (Value result : op.getResults()) {
    auto shape = shapeOf(result, op);
    if (failed(shape))
      return failure();
    results.push_back(shape->type);
  }
  Kernel kernel = buildKernel(op, operands, results);
  if (!kernel)
    return unsupported(op);
  auto step = makeStep(op, runKernel);
  if (failed(step))
    return failure();
  step->kernel = kernel;
  step->operations = countOperations(op);
  if (isFloat(results[0]) && !isa<arith::SelectOp>(op))
    step->check = ResultCheck::Floats;
  else if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    step->check = op.hasAttr(tile::TileDialect::kSignedAttr)     ? ResultCheck::SignedOverflow
                  : op.hasAttr(tile::TileDialect::kUnsignedAttr) ? ResultCheck::UnsignedOverflow
                                                                 : ResultCheck::None;
  else if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    step->check = ResultCheck::Shift;
  // A scalar only: masked-off lanes of a tile are often 0 without harm.
  else if (step->shape.empty() && !step->batched) {
    if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      step->check = ResultCheck::SignedDivision;
    else if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
      step->check = ResultCheck::UnsignedDivision;
  }
  return append(op, std::move(*step), steps);
}

/// Row-major strides in elements.
static llvm::SmallVector<int64_t> rowMajor(ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

LogicalResult Decoder::decodeTileOp(Operation &op, StepList &steps) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return decodeCombine(op, reduce.getAxis(), false, runReduce, steps);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return decodeCombine(op, scan.getAxis(), scan.getReverse(), runScan, steps);
  if (auto map = dyn_cast<tile::MapOp>(op))
    return decodeMap(map, steps);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return decodeDot(dot, steps);
  if (isa<tile::FpCastOp>(op))
    return decodeElementwise(op, steps);
  // One thread runs a program in order, and no launch overlaps another; an assumption changes
  // nothing here.
  if (isa<tile::AssumeOp, tile::BarrierOp, tile::GridDependencyOp>(op))
    return success();
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op))
    return op.emitError() << "'" << assembly.getFunction()
                          << "' cannot run on the cpu device: it is assembly of a GPU; guard the "
                             "call with a tl.constexpr condition, such as tl.target_info.is_cuda()";

  // Optional operands keep their position in the step.
  auto slotOrNone = [&](Value value) { return value ? slotOf(value) : kNoSlot; };
  auto step = makeStep(op, nullptr);
  if (failed(step))
    return failure();
  LogicalResult status =
      llvm::TypeSwitch<Operation *, LogicalResult>(&op)
          .Case([&](tile::ProgramIdOp id) {
            step->run = runProgramId;
            step->numbers = {int64_t(id.getAxis())};
            return success();
          })
          .Case([&](tile::NumProgramsOp number) {
            step->run = runNumPrograms;
            step->numbers = {int64_t(number.getAxis())};
            return success();
          })
          .Case([&](tile::MakeRangeOp range) {
            step->run = runMakeRange;
            step->numbers = {int64_t(int32_t(range.getStart()))};
            return success();
          })
          .Case([&](tile::SplatOp) {
            step->run = runSplat;
            return success();
          })
          .Case([&](tile::BroadcastOp broadcast) {
            step->run = runGatherStrided;
            auto source = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
            for (auto [size, stride] : llvm::zip(source, rowMajor(source)))
              step->numbers.push_back(size == 1 ? 0 : stride);
            return success();
          })
          .Case([&](tile::TransOp trans) {
            step->run = runGatherStrided;
            auto source = cast<RankedTensorType>(trans.getSource().getType()).getShape();
            auto strides = rowMajor(source);
            for (int32_t dim : trans.getOrder())
              step->numbers.push_back(strides[dim]);
            return success();
          })
          .Case([&](tile::JoinOp) {
            step->run = runJoin;
            return success();
          })
          .Case([&](tile::SplitOp) {
            step->run = runSplit;
            return success();
          })
          .Case([&](tile::CatOp cat) {
            step->run = runCat;
            for (Value part : cat->getOperands())
              step->numbers.push_back(cast<RankedTensorType>(part.getType()).getNumElements());
            return success();
          })
          .Case([&](tile::GatherOp gather) {
            step->run = runGather;
            auto source = cast<RankedTensorType>(gather.getSource().getType()).getShape();
            auto indices = cast<RankedTensorType>(gather.getIndices().getType()).getShape();
            int64_t outer = 1, inner = 1, axis = gather.getAxis();
            for (auto [d, size] : llvm::enumerate(source))
              if (int64_t(d) != axis)
                (int64_t(d) < axis ? outer : inner) *= size;
            step->numbers = {outer, source[axis], indices[axis], inner};
            return success();
          })
          .Case([&](tile::HistogramOp histogram) {
            step->run = runHistogram;
            step->operands = {slotOf(histogram.getSource()), slotOrNone(histogram.getMask())};
            step->numbers = {
                cast<RankedTensorType>(histogram.getSource().getType()).getNumElements(),
                cast<RankedTensorType>(histogram.getType()).getNumElements()};
            return success();
          })
          .Case([&](tile::AddPtrOp add) {
            step->run = runAddPtr;
            auto pointer =
                cast<tile::PointerType>(tile::getElementTypeOrSelf(add.getBase().getType()));
            step->numbers = {llvm::Log2_32(tile::getElementBytes(pointer.getPointeeType()))};
            return success();
          })
          .Case([&](tile::LoadOp load) {
            step->run = runLoad;
            step->operands = {slotOf(load.getPtr()), slotOrNone(load.getMask()),
                              slotOrNone(load.getOther())};
            step->origin = originOf(load.getPtr());
            step->masked = bool(load.getMask());
            return success();
          })
          .Case([&](tile::StoreOp store) {
            step->run = runStore;
            step->operands = {slotOf(store.getPtr()), slotOf(store.getValue()),
                              slotOrNone(store.getMask())};
            step->origin = originOf(store.getPtr());
            step->masked = bool(store.getMask());
            return success();
          })
          .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](auto) { return decodeAtomic(op, *step); })
          .Case([&](tile::PrintOp print) { return decodePrint(print, *step); })
          .Case([&](tile::AssertOp assertion) {
            step->run = runAssert;
            step->operands = {slotOf(assertion.getCondition()), slotOrNone(assertion.getMask())};
            step->text = assertion.getMessage().str();
            return success();
          })
          .Case([&](tile::DebugEventOp event) {
            step->run = runDebugEvent;
            step->numbers = {int64_t(event.getKind())};
            step->text = event.getName().str() + '\0' + event.getText().str();
            return success();
          })
          .Default([&](Operation *) { return unsupported(op); });
  if (failed(status))
    return failure();
  return append(op, std::move(*step), steps);
}

LogicalResult Decoder::decodeAtomic(Operation &op, Step &step) {
  if (sizeOf(step.resultTypes[0]) < 2)
    return unsupported(op, "; atomics work on 16, 32 and 64 bits");
  if (auto swap = dyn_cast<tile::AtomicCASOp>(op)) {
    step.run = runAtomicCAS;
    step.numbers = {int64_t(swap.getSem())};
    step.origin = originOf(swap.getPtr());
    return success();
  }
  auto update = cast<tile::AtomicRMWOp>(op);
  const bool isFloatKind = update.getKind() == tile::AtomicKind::FAdd ||
                           update.getKind() == tile::AtomicKind::FMax ||
                           update.getKind() == tile::AtomicKind::FMin;
  if (update.getKind() != tile::AtomicKind::Xchg && isFloatKind != isFloat(step.resultTypes[0]))
    return unsupported(op);
  step.run = runAtomicRMW;
  step.operands = {slotOf(update.getPtr()), slotOf(update.getValue()),
                   update.getMask() ? slotOf(update.getMask()) : kNoSlot};
  step.numbers = {int64_t(update.getKind()), int64_t(update.getSem())};
  step.origin = originOf(update.getPtr());
  step.masked = bool(update.getMask());
  return success();
}

LogicalResult Decoder::decodePrint(tile::PrintOp op, Step &step) {
  step.run = runPrint;
  step.text.clear();
  for (size_t i = 0; i < std::max<size_t>(op.getValues().size(), 1); ++i)
    step.text += tile::getPrintFormat(op, unsigned(i)) + '\0';
  step.numbers = {op.getHex()};
  step.shape.assign(op.getExtents().begin(), op.getExtents().end());
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    auto shape = shapeOf(value, *op);
    if (failed(shape))
      return failure();
    step.numbers.push_back(i < op.getIsSigned().size() && op.getIsSigned()[i]);
    step.numbers.push_back(shape->sizes.size());
    llvm::append_range(step.numbers, shape->sizes);
  }
  return success();
}

LogicalResult Decoder::decodeDot(tile::DotOp op, StepList &steps) {
  auto a = shapeOf(op.getA(), *op), b = shapeOf(op.getB(), *op), c = shapeOf(op.getAcc(), *op);
  if (failed(a) || failed(b) || failed(c))
    return failure();
  const Dtype result = c->type;
  const Dtype compute = isSmallFloat(result) ? Dtype::F32 : result;
  const bool tf32 = op.getPrecision() == tile::InputPrecision::TF32;
  const bool integers = compute == Dtype::I32;
  for (Dtype type : {a->type, b->type})
    if (integers ? type != Dtype::I8
                 : !isFloat(type) || (compute == Dtype::F32 && type == Dtype::F64))
      return unsupported(*op);
  if (!integers && !isFloat(compute))
    return unsupported(*op);

  auto step = makeStep(*op, runDot);
  if (failed(step))
    return failure();
  const size_t rank = a->sizes.size();
  step->numbers = {
      rank == 3 ? a->sizes[0] : 1, a->sizes[rank - 2], b->sizes[rank - 1], a->sizes[rank - 1],
      int64_t(a->count),           int64_t(b->count),  int64_t(c->count)};
  llvm::SmallVector<Slot> scratch;
  const Shape *shapes[] = {&*a, &*b, &*c};
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    const bool rounds = tf32 && i < 2 && shape->type == Dtype::F32 && compute == Dtype::F32;
    if (shape->type == compute && !rounds) {
      step->operands.push_back(kNoSlot);
      continue;
    }
    auto slot = allocate(shape->count * sizeOf(compute), *op);
    if (failed(slot))
      return failure();
    step->operands.push_back(*slot);
    scratch.push_back(*slot);
  }
  if (!integers)
    step->check = ResultCheck::Floats;
  for (Slot slot : scratch)
    plan.giveBack(slot);
  return append(*op, std::move(*step), steps);
}
