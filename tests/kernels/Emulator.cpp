// See Emulator.h. A value is one word for each thread and element.
#include "tests/kernels/EmulatorElementwise.h"
#include "tests/kernels/EmulatorMachine.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

bool Machine::constant(arith::ConstantOp op) {
  Data &data = define(op);
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

bool Machine::elementwise(Operation &op) {
  for (unsigned r = 0; r < op.getNumResults(); ++r) {
    ElementFunction function = getElementFunction(&op, r);
    if (!function)
      return fail(&op, "the emulator does not know this operation");
    define(op.getResult(r));
    SmallVector<const Data *> inputs;
    for (Value operand : op.getOperands())
      inputs.push_back(&values[operand]);
    Data &data = values[op.getResult(r)];
    SmallVector<uint64_t, 3> words(inputs.size());
    for (unsigned t = 0; t < threads; ++t)
      for (unsigned i = 0; i < data.count; ++i) {
        for (auto [k, input] : llvm::enumerate(inputs))
          words[k] = input->words[size_t(t) * input->count + (input->count == 1 ? 0 : i)];
        data.words[size_t(t) * data.count + i] = function(words);
      }
  }
  return true;
}

bool Machine::exchange(ShuffleOp op) {
  Data result = define(op.getResult());
  for (unsigned t = 0; t < threads; ++t) {
    int lane = t % lanes, other = int32_t(at(op.getLane(), t));
    int from = lane;
    switch (op.getMode()) {
    case ShuffleMode::Index:
      if (other < 0 || other >= int(lanes))
        return fail(op, "shuffle from a lane that does not exist");
      from = other;
      break;
    case ShuffleMode::Xor:
      from = lane ^ other;
      break;
    case ShuffleMode::Up:
      from = lane - other;
      break;
    case ShuffleMode::Down:
      from = lane + other;
      break;
    }
    if (from < 0 || from >= int(lanes))
      from = lane;
    result.words[t] = at(op.getValue(), t - lane + from);
  }
  values[op.getResult()] = result;
  return true;
}

bool Machine::loop(scf::ForOp op) {
  Type type = op.getLowerBound().getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto asSigned = [&](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  assign(op.getRegionIterArgs(), op.getInitArgs());
  Data index = get(op.getLowerBound()), upper = get(op.getUpperBound()), step = get(op.getStep());
  for (;;) {
    std::vector<bool> goesOn(threads);
    for (unsigned t = 0; t < threads; ++t)
      goesOn[t] = asSigned(index.words[t]) < asSigned(upper.words[t]);
    if (!anyRuns(goesOn))
      break;
    values[op.getInductionVar()] = index;
    bool ok = where(goesOn, [&] {
      if (!block(*op.getBody()))
        return false;
      assign(op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands());
      return true;
    });
    if (!ok)
      return false;
    for (unsigned t = 0; t < threads; ++t) {
      uint64_t next = index.words[t] + step.words[t];
      index.words[t] = bits == 64 ? next : next & ((uint64_t(1) << bits) - 1);
    }
  }
  assign(op.getResults(), op.getRegionIterArgs());
  return true;
}

bool Machine::block(Block &block) {
  for (Operation &op : block) {
    if (++steps > 2000000)
      return fail(&op, "too many steps");
    if (!execute(op) || !error.empty())
      return false;
  }
  return true;
}

bool Machine::execute(Operation &operation) {
  Operation *op = &operation;
  if (!inFlight.empty() && !checkInFlight(op))
    return false;
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(constantOp);
  if (isa<scf::YieldOp, scf::ConditionOp, func::ReturnOp, SharedAllocOp>(op))
    return true;
  if (isa<ub::PoisonOp>(op)) {
    // A pattern that shows when it gets anywhere.
    Data &data = define(op->getResult(0));
    std::fill(data.words.begin(), data.words.end(), 1);
    return true;
  }
  if (auto forOp = dyn_cast<scf::ForOp>(op))
    return loop(forOp);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    std::vector<bool> condition = flags(branch.getCondition());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      bool ok = where(condition, [&] {
        if (region->empty())
          return true;
        if (!block(region->front()))
          return false;
        assign(branch.getResults(), region->front().getTerminator()->getOperands());
        return true;
      });
      if (!ok)
        return false;
      condition.flip();
    }
    return true;
  }
  if (auto whileOp = dyn_cast<scf::WhileOp>(op)) {
    assign(whileOp.getBeforeArguments(), whileOp.getInits());
    std::vector<bool> goesOn(threads, true);
    while (anyRuns(goesOn)) {
      bool ok = where(goesOn, [&] {
        if (!block(*whileOp.getBeforeBody()))
          return false;
        scf::ConditionOp end = whileOp.getConditionOp();
        // Threads that stop keep what they pass now.
        assign(whileOp.getResults(), end.getArgs());
        std::vector<bool> condition = flags(end.getCondition());
        for (unsigned t = 0; t < threads; ++t)
          goesOn[t] = goesOn[t] && condition[t];
        return where(goesOn, [&] {
          assign(whileOp.getAfterArguments(), end.getArgs());
          if (!block(*whileOp.getAfterBody()))
            return false;
          assign(whileOp.getBeforeArguments(), whileOp.getYieldOp().getOperands());
          return true;
        });
      });
      if (!ok)
        return false;
    }
    return true;
  }
  // What threads do together they do all or none.
  if (isDiverged() && isa<BarrierOp, ShuffleOp, SharedLoadOp, SharedStoreOp, SharedAddOp, MmaOp,
                          MatrixLoadOp, MatrixStoreOp, MatrixMultiplyAddOp, LoadMatrixOp,
                          AsyncCopyOp, AsyncCommitOp, AsyncWaitOp>(op))
    return fail(op, "control flow differs between threads");
  if (isa<ThreadIdOp, tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
    Data &data = define(op->getResult(0));
    for (unsigned t = 0; t < threads; ++t) {
      uint64_t word = t;
      if (auto id = dyn_cast<tile::ProgramIdOp>(op))
        word = id.getAxis() == 0 ? program : 0;
      if (auto number = dyn_cast<tile::NumProgramsOp>(op))
        word = number.getAxis() == 0 ? options.grid : 1;
      data.words[t] = word;
    }
    return true;
  }
  if (!options.target->hasShuffle && isa<ShuffleOp>(op))
    return fail(op, "the target's lanes exchange nothing");
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    if (!options.target->hasShuffle && barrier.getScope() == BarrierScope::Warp)
      return fail(op, "the target knows no barrier of a warp");
    ++warpEpoch;
    if (barrier.getScope() == BarrierScope::Program || options.numWarps == 1)
      ++epoch;
    return true;
  }
  if (std::optional<bool> ok = accessMemory(op))
    return *ok;
  if (auto load = dyn_cast<LoadMatrixOp>(op))
    return loadMatrix(load);
  if (auto shuffle = dyn_cast<ShuffleOp>(op))
    return exchange(shuffle);
  if (auto mma = dyn_cast<MmaOp>(op))
    return multiply(mma);
  if (auto load = dyn_cast<MatrixLoadOp>(op)) {
    Data result = define(load.getResult());
    if (!transferMatrix(op, load.getBuffer(), load.getOffset(), load.getType(), load.getPitch(),
                        load.getColumnMajor(), result))
      return false;
    values[load.getResult()] = result;
    return true;
  }
  if (auto store = dyn_cast<MatrixStoreOp>(op)) {
    Data matrix = get(store.getMatrix());
    return transferMatrix(op, store.getBuffer(), store.getOffset(), store.getMatrix().getType(),
                          store.getPitch(), false, matrix);
  }
  if (auto splat = dyn_cast<MatrixSplatOp>(op)) {
    Data result = define(splat.getResult());
    for (size_t i = 0; i < result.words.size(); ++i)
      result.words[i] = at(splat.getScalar(), i / result.count);
    values[splat.getResult()] = result;
    return true;
  }
  if (auto product = dyn_cast<MatrixMultiplyAddOp>(op))
    return multiplyMatrices(product);
  if (isa<ProxyFenceOp>(op)) {
    for (Shadow &shadow : shadows)
      shadow.isFenced = true;
    return true;
  }
  if (isa<WgmmaFenceOp>(op))
    return true;
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    inFlight.insert(product.getResult());
    return multiplyInGroups(product);
  }
  if (isa<WgmmaCommitOp>(op)) {
    readGroups.push_back(std::move(openReads));
    openReads.clear();
    return true;
  }
  if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    // Operands may be read as late as this.
    for (; readGroups.size() > wait.getPending(); readGroups.pop_front())
      for (const Read &read : readGroups.front()) {
        uint64_t word = 0;
        if (!readShared(read.op, read.thread, read.place,
                        MutableArrayRef(reinterpret_cast<uint8_t *>(&word), read.bytes)))
          return false;
        if (word != read.word)
          return fail(read.op, "an operand was overwritten before it was waited for");
      }
    if (readGroups.empty())
      inFlight.clear();
    assign(wait.getResults(), wait.getAccs());
    return true;
  }
  if (auto cast = dyn_cast<FpCastOp>(op)) {
    define(cast.getResult());
    const Data &source = values[cast.getSource()];
    Data &result = values[cast.getResult()];
    bool toTf32 = isa<FloatTF32Type>(cast.getTo()); // held as f32
    for (size_t i = 0; i < result.words.size(); ++i)
      result.words[i] = toTf32 ? (source.words[i] + 0x1000) & ~uint64_t(0x1fff)
                               : castFloat(source.words[i], cast.getFrom(), cast.getTo(),
                                           cast.getRounding() == tile::RoundingMode::TowardZero);
    return true;
  }
  if (auto assertion = dyn_cast<simt::AssertOp>(op)) {
    for (unsigned t = 0; t < threads; ++t)
      if (running[t] && !(at(assertion.getCondition(), t) & 1))
        return fail(op, "assertion failed");
    return true;
  }
  if (isa<simt::PrintOp>(op))
    return true;
  if (isa<vector::BroadcastOp, vector::FromElementsOp>(op)) {
    Data result = define(op->getResult(0));
    for (unsigned t = 0; t < threads; ++t)
      for (unsigned i = 0; i < result.count; ++i)
        result.words[size_t(t) * result.count + i] =
            at(op->getOperand(op->getNumOperands() == 1 ? 0 : i), t);
    values[op->getResult(0)] = result;
    return true;
  }
  if (auto elements = dyn_cast<vector::ToElementsOp>(op)) {
    Data source = values[elements.getSource()];
    for (auto [i, value] : llvm::enumerate(op->getResults())) {
      Data &result = define(value);
      for (unsigned t = 0; t < threads; ++t)
        result.words[t] = source.words[size_t(t) * source.count + i];
    }
    return true;
  }
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    Data result = define(shuffle.getResult());
    unsigned first = countOf(shuffle.getV1().getType());
    for (unsigned t = 0; t < threads; ++t)
      for (auto [i, index] : llvm::enumerate(shuffle.getMask()))
        result.words[size_t(t) * result.count + i] =
            index < first ? at(shuffle.getV1(), t, index) : at(shuffle.getV2(), t, index - first);
    values[shuffle.getResult()] = result;
    return true;
  }
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    Data result = define(cast.getResult());
    auto from = mlir::cast<VectorType>(cast.getSource().getType());
    unsigned bits = from.getElementTypeBitWidth(), wide = cast.getType().getElementTypeBitWidth();
    for (unsigned t = 0; t < threads; ++t)
      for (unsigned i = 0; i < result.count; ++i) {
        uint64_t word = 0;
        for (unsigned bit = 0; bit < wide; ++bit) {
          unsigned whole = i * wide + bit;
          word |= ((at(cast.getSource(), t, whole / bits) >> (whole % bits)) & 1) << bit;
        }
        result.words[size_t(t) * result.count + i] = word;
      }
    values[cast.getResult()] = result;
    return true;
  }
  return elementwise(operation);
}

llvm::Error Machine::run(ArrayRef<uint64_t> arguments, uint64_t programId) {
  program = programId;
  values.clear();
  running.assign(threads, true);
  uint64_t bytes = 0;
  if (auto attribute = kernel->getAttrOfType<IntegerAttr>(SimtDialect::kSharedBytesAttr))
    bytes = attribute.getInt();
  arena.assign(bytes, 0xcd);
  shadows.assign(bytes, {});
  for (auto [argument, word] : llvm::zip(kernel.getArguments(), arguments)) {
    Data &data = define(argument);
    std::fill(data.words.begin(), data.words.end(), word);
  }
  if (!block(kernel.getBody().front()) || !error.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  return llvm::Error::success();
}

llvm::Error test::emulate(func::FuncOp kernel, ArrayRef<uint64_t> arguments,
                          ArrayRef<MemoryRange> memory, const EmulatorOptions &options) {
  for (uint64_t program = 0; program < options.grid; ++program) {
    Machine machine(kernel, memory, options);
    if (llvm::Error error = machine.run(arguments, program))
      return error;
  }
  return llvm::Error::success();
}
