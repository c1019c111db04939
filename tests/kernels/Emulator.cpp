// The operations of a warp that touch no memory. A value is one word for each lane and element.
#include "tests/kernels/EmulatorWarp.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Warp::assign(ValueRange to, ValueRange from) {
  SmallVector<Data> copies;
  SmallVector<std::optional<uint64_t>> flying;
  for (Value value : from) {
    copies.push_back(get(value));
    auto flight = inFlight.find(value);
    flying.push_back(flight == inFlight.end() ? std::nullopt : std::optional(flight->second));
  }
  for (auto [value, data, flies] : llvm::zip(to, copies, flying)) {
    Data &target = get(value);
    if (target.words.size() != data.words.size() || running == allLanes()) {
      target = std::move(data);
    } else {
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned i = 0; runs(lane) && i < data.count; ++i)
          target.words[size_t(lane) * data.count + i] = data.words[size_t(lane) * data.count + i];
    }
    if (flies)
      inFlight[value] = *flies;
    else if (!inFlight.empty())
      inFlight.erase(value);
  }
}

uint64_t Warp::flags(Value value) {
  const Data &data = get(value);
  uint64_t result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    result |= (data.words[size_t(lane) * data.count] & 1) << lane;
  return result;
}

bool Warp::constant(const Step &step, arith::ConstantOp op) {
  Data &data = define(step.results[0]);
  SmallVector<uint64_t> list;
  auto word = [](const APInt &value) { return value.getZExtValue(); };
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    list = {word(integer.getValue())};
  else if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    list = {word(number.getValue().bitcastToAPInt())};
  else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &value : dense.getValues<APFloat>())
        list.push_back(word(value.bitcastToAPInt()));
    else
      for (const APInt &value : dense.getValues<APInt>())
        list.push_back(word(value));
  }
  for (size_t i = 0; i < data.words.size(); ++i)
    data.words[i] = list[i % data.count];
  return true;
}

bool Warp::elementwise(const Step &step) {
  if (step.functions.empty() || step.functions.size() != step.results.size())
    return fail(step.op, "the emulator does not know this operation");
  SmallVector<const Data *, 3> inputs;
  for (unsigned operand : step.operands)
    inputs.push_back(&values[operand]);
  SmallVector<uint64_t, 3> words(inputs.size());
  for (auto [slot, function] : llvm::zip_equal(step.results, step.functions)) {
    Data &data = define(slot);
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned i = 0; i < data.count; ++i) {
        for (auto [word, input] : llvm::zip_equal(words, inputs))
          word = input->words[size_t(lane) * input->count + (input->count == 1 ? 0 : i)];
        data.words[size_t(lane) * data.count + i] = function(words);
      }
  }
  return true;
}

bool Warp::castFloats(FpCastOp op) {
  Data &result = define(op.getResult());
  const Data &source = get(op.getSource());
  bool toTf32 = isa<FloatTF32Type>(op.getTo()); // held as f32
  for (size_t i = 0; i < result.words.size(); ++i)
    result.words[i] = toTf32 ? (source.words[i] + 0x1000) & ~uint64_t(0x1fff)
                             : castFloat(source.words[i], op.getFrom(), op.getTo(),
                                         op.getRounding() == tile::RoundingMode::TowardZero);
  return true;
}

//===----------------------------------------------------------------------===//
// Between threads
//===----------------------------------------------------------------------===//

bool Warp::exchange(ShuffleOp op) {
  if (!program.options.target->hasShuffle)
    return fail(op, "the target's lanes exchange nothing");
  Data &result = define(op.getResult());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    int other = int32_t(at(op.getLane(), lane)), from = int(lane);
    switch (op.getMode()) {
    case ShuffleMode::Index:
      if (other < 0 || other >= int(lanes))
        return fail(op, "shuffle from a lane that does not exist");
      from = other;
      break;
    case ShuffleMode::Xor:
      from = int(lane) ^ other;
      break;
    case ShuffleMode::Up:
      from = int(lane) - other;
      break;
    case ShuffleMode::Down:
      from = int(lane) + other;
      break;
    }
    if (from < 0 || from >= int(lanes))
      from = int(lane);
    result.words[lane] = at(op.getValue(), unsigned(from));
  }
  return true;
}

/// An op's effect on the order of accesses, as the op declares it.
bool Warp::synchronize(const Step &step) {
  if (step.use.barrier) {
    if (*step.use.barrier == BarrierScope::Role && !role)
      return fail(step.op, "a barrier of a role is outside of any");
    bool isWarp = *step.use.barrier == BarrierScope::Warp;
    if (!program.options.target->hasShuffle && isWarp)
      return fail(step.op, "the target knows no barrier of a warp");
    if (isWarp)
      program.shared.synchronize(program.countThrough(number));
    else
      state = State::Waiting;
  }
  if (step.use.isFence)
    program.shared.fence(program.countThrough(number));
  if (step.use.closes) {
    Queue &queue = queues[unsigned(*step.use.closes)];
    queue.groups.push_back(std::move(queue.open));
    queue.open.clear();
    ++queue.closed;
  }
  if (step.use.waits) {
    Queue &queue = queues[unsigned(step.use.waits->queue)];
    for (; queue.groups.size() > step.use.waits->pending; queue.groups.pop_front())
      for (Flight &flight : queue.groups.front())
        if (!complete(flight))
          return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

bool Warp::executeVector(const Step &step) {
  Operation *op = step.op;
  if (isa<vector::BroadcastOp, vector::FromElementsOp>(op)) {
    Data &result = define(step.results[0]);
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned i = 0; i < result.count; ++i)
        result.words[size_t(lane) * result.count + i] =
            at(op->getOperand(op->getNumOperands() == 1 ? 0 : i), lane);
    return true;
  }
  if (isa<vector::ToElementsOp>(op)) {
    const Data &source = values[step.operands[0]];
    for (auto [i, slot] : llvm::enumerate(step.results)) {
      Data &result = define(slot);
      for (unsigned lane = 0; lane < lanes; ++lane)
        result.words[lane] = source.words[size_t(lane) * source.count + i];
    }
    return true;
  }
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    Data &result = define(step.results[0]);
    unsigned first = countOf(shuffle.getV1());
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (auto [i, index] : llvm::enumerate(shuffle.getMask()))
        result.words[size_t(lane) * result.count + i] =
            index < first ? at(shuffle.getV1(), lane, index)
                          : at(shuffle.getV2(), lane, index - first);
    return true;
  }
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    Data &result = define(step.results[0]);
    auto from = mlir::cast<VectorType>(cast.getSource().getType());
    unsigned bits = from.getElementTypeBitWidth(), wide = cast.getType().getElementTypeBitWidth();
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned i = 0; i < result.count; ++i) {
        uint64_t word = 0;
        for (unsigned bit = 0; bit < wide; ++bit) {
          unsigned whole = i * wide + bit;
          word |= ((at(cast.getSource(), lane, whole / bits) >> (whole % bits)) & 1) << bit;
        }
        result.words[size_t(lane) * result.count + i] = word;
      }
    return true;
  }
  return elementwise(step);
}

bool Warp::executeScalar(const Step &step) {
  Operation *op = step.op;
  if (isa<ThreadIdOp, tile::ProgramIdOp, tile::NumProgramsOp, tile::BlockRankOp>(op)) {
    Data &data = define(step.results[0]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      uint64_t word = number * lanes + lane;
      if (auto id = dyn_cast<tile::ProgramIdOp>(op))
        word = id.getAxis() == 0 ? program.number : 0;
      if (isa<tile::BlockRankOp>(op))
        word = program.rank;
      if (auto axis = dyn_cast<tile::NumProgramsOp>(op))
        word = axis.getAxis() == 0 ? program.options.grid : 1;
      data.words[lane] = word;
    }
    return true;
  }
  if (auto launched = dyn_cast<LaunchedOp>(op)) {
    llvm::fill(define(launched.getProgram()).words, program.number);
    llvm::fill(define(launched.getCount()).words, program.launched);
    return true;
  }
  if (isa<ub::PoisonOp>(op)) {
    // A pattern that is conspicuous in results.
    llvm::fill(define(step.results[0]).words, 1);
    return true;
  }
  if (auto fresh = dyn_cast<FreshOp>(op)) {
    Data &data = define(step.results[0]);
    for (unsigned lane = 0; lane < lanes; ++lane)
      data.words[lane] = at(fresh.getWord(), lane);
    return true;
  }
  if (auto cast = dyn_cast<FpCastOp>(op))
    return castFloats(cast);
  if (auto assertion = dyn_cast<simt::AssertOp>(op)) {
    if (running & ~flags(assertion.getCondition()))
      return fail(op, "assertion failed");
    return true;
  }
  return executeVector(step);
}

bool Warp::execute(const Step &step) {
  Operation *op = step.op;
  if (!step.functions.empty())
    return elementwise(step);
  if (isa<scf::YieldOp, scf::ConditionOp, func::ReturnOp, SharedAllocOp, simt::PrintOp, TurnOp>(op))
    return true;
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(step, constantOp);
  if (step.isCollective && running != allLanes())
    return fail(op, "control flow differs between threads");
  if (!step.use.isNone() && !synchronize(step))
    return false;
  if (std::optional<bool> ok = accessMemory(op))
    return *ok;
  if (auto shuffle = dyn_cast<ShuffleOp>(op))
    return exchange(shuffle);
  if (std::optional<bool> ok = multiplyMatrices(op))
    return *ok;
  return op->getNumResults() == 0 && !step.use.isNone() ? true : executeScalar(step);
}
