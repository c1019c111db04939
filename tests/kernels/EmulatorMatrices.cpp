// Matrix instructions of a warp: ordinary ones, opaque ones, and its part of a warp group's.
#include "tests/kernels/EmulatorElementwise.h"
#include "tests/kernels/EmulatorWarp.h"

#include "ir/layout/MatrixTile.h"

#include <cmath>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::target;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

/// An element of an operand as a number.
static double decode(uint64_t word, MatrixElement element, MLIRContext *context) {
  switch (element) {
  case MatrixElement::F16:
    return toDouble(word, Float16Type::get(context));
  case MatrixElement::BF16:
    return toDouble(word, BFloat16Type::get(context));
  case MatrixElement::TF32: // the bits below are ignored
    return toDouble(word & ~uint64_t(0x1fff), Float32Type::get(context));
  case MatrixElement::F32:
    return toDouble(word, Float32Type::get(context));
  case MatrixElement::F64:
    return toDouble(word, Float64Type::get(context));
  case MatrixElement::E4M3:
    return toDouble(word, Float8E4M3FNType::get(context));
  case MatrixElement::E5M2:
    return toDouble(word, Float8E5M2Type::get(context));
  case MatrixElement::E4B8:
    return toDouble(word, Float8E4M3FNUZType::get(context));
  case MatrixElement::E5B16:
    return toDouble(word, Float8E5M2FNUZType::get(context));
  case MatrixElement::E2M1: {
    constexpr double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return word & 8 ? -values[word & 7] : values[word & 7];
  }
  case MatrixElement::I8:
    return int8_t(word);
  case MatrixElement::I32:
    return int32_t(word);
  }
  return 0;
}

/// An accumulator and the products added to it.
static uint64_t accumulate(uint64_t acc, double sum, Type type) {
  return type.isInteger(32) ? uint32_t(int32_t(acc) + int32_t(sum))
                            : fromDouble(toDouble(acc, type) + sum, type);
}

bool Warp::multiply(MmaOp op) {
  const MatrixInstruction *row = program.options.target->findMatrix(op.getInstruction());
  if (!row)
    return fail(op, "unknown matrix instruction");
  std::vector<double> a(row->m * row->k), b(row->k * row->n);
  auto fill = [&](Value fragment, const layout::LinearLayout &layout, MatrixElement element,
                  unsigned columns, std::vector<double> &matrix) {
    const bool isPairs = element == MatrixElement::E2M1;
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < 1u << layout.inBits(layout::kRegister); ++reg) {
        auto position = layout.apply({reg, lane});
        uint64_t word =
            isPairs ? at(fragment, lane, reg / 2) >> 4 * (reg % 2) & 15 : at(fragment, lane, reg);
        matrix[position[0] * columns + position[1]] = decode(word, element, op.getContext());
      }
  };
  fill(op.getA(), row->aLayout, row->a, row->k, a);
  fill(op.getB(), row->bLayout, row->b, row->n, b);
  if (row->isScaled != !op.getScales().empty())
    return fail(op, "an instruction with scales where there should be none, or without");
  if (row->isScaled) {
    // By the first lane's row (column), and by how often it has occurred: the block.
    constexpr unsigned kBlock = MatrixInstruction::kScaleBlock;
    auto scale = [&](unsigned operand, const layout::LinearLayout &layout, unsigned inner,
                     std::vector<double> &matrix) {
      std::vector<unsigned> blocks(std::max(row->m, row->n));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        unsigned line = layout.apply({0, lane})[1 - inner], block = blocks[line]++;
        uint64_t code = at(op.getScales()[operand], lane) >> 8 * (*op.getBytes())[operand] & 255;
        for (unsigned k = block * kBlock; k < (block + 1) * kBlock; ++k)
          matrix[inner == 1 ? line * row->k + k : k * row->n + line] *=
              code == 255 ? double(NAN) : std::ldexp(1.0, int(code) - 127);
      }
    };
    scale(0, row->aLayout, 1, a);
    scale(1, row->bLayout, 0, b);
  }
  Data &result = define(op.getResult());
  Type accType = cast<VectorType>(op.getType()).getElementType();
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned reg = 0; reg < result.count; ++reg) {
      auto position = row->dLayout.apply({reg, lane});
      double sum = 0;
      for (unsigned k = 0; k < row->k; ++k)
        sum += a[position[0] * row->k + k] * b[k * row->n + position[1]];
      result.words[size_t(lane) * result.count + reg] =
          accumulate(at(op.getAcc(), lane, reg), sum, accType);
    }
  return true;
}

bool Warp::loadMatrix(LoadMatrixOp op) {
  Data &result = define(op.getResult());
  // A lane gets two 16-bit units of each matrix, whatever the elements are.
  unsigned bits = 8 * getScalarBytes(op.getType());
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < op.getCount(); ++i) {
      uint64_t pair = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row = lane / 4, column = 2 * (lane % 4) + e;
        if (op.getTransposed())
          std::swap(row, column);
        uint64_t place = placeOf(op.getBuffer(), op.getOffset(), 8 * i + row);
        uint16_t word = 0;
        if (!check(op, program.shared.read(thread(lane), place + 2 * column,
                                           MutableArrayRef(reinterpret_cast<uint8_t *>(&word), 2))))
          return false;
        pair |= uint64_t(word) << (16 * e);
      }
      for (unsigned e = 0; e < 32 / bits; ++e)
        result.words[size_t(lane) * result.count + i * (32 / bits) + e] =
            (pair >> (bits * e)) & ((uint64_t(1) << bits) - 1);
    }
  return true;
}

bool Warp::loadTransposed(LoadTransposedOp op) {
  constexpr unsigned kTogether = 16, kRunBytes = 8;
  Data &result = define(op.getResult());
  unsigned bytes = getScalarBytes(op.getType()), run = kRunBytes / bytes;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < run; ++i) {
      unsigned within = lane % kTogether;
      unsigned from = lane - within + within / run + i * (kTogether / run);
      uint64_t place = placeOf(op.getBuffer(), op.getOffset(), from), word = 0;
      if (place % kRunBytes)
        return fail(op, "a run starts between multiples of 8 bytes");
      auto content = MutableArrayRef(reinterpret_cast<uint8_t *>(&word), bytes);
      if (!check(op, program.shared.read(thread(lane), place + within % run * bytes, content)))
        return false;
      result.words[size_t(lane) * result.count + i] = word;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Opaque matrices
//===----------------------------------------------------------------------===//

/// Loads or stores (for a MatrixStoreOp) a matrix. Which lane has which element is unknown, so it
/// is not ordered with any lane's accesses since the last barrier.
bool Warp::transferMatrix(Operation *op, Value buffer, Value offset, MatrixType type,
                          uint64_t pitch, bool byColumns, Data &data) {
  unsigned bytes = getScalarBytes(type.getElementType());
  uint64_t start = placeOf(buffer, offset, 0);
  for (unsigned lane = 1; lane < lanes; ++lane)
    if (placeOf(buffer, offset, lane) != start)
      return fail(op, "lanes of a warp disagree about a matrix");
  if (start % 16)
    return fail(op, "a matrix starts between multiples of 16 bytes");
  Thread unknown = thread(kUnknownLane);
  for (unsigned i = 0; i < type.getRows(); ++i)
    for (unsigned j = 0; j < type.getColumns(); ++j) {
      uint64_t place = start + (byColumns ? j * pitch + i * bytes : i * pitch + j * bytes);
      auto content = MutableArrayRef(
          reinterpret_cast<uint8_t *>(&data.words[i * type.getColumns() + j]), bytes);
      if (!check(op, isa<MatrixStoreOp>(op) ? program.shared.write(unknown, place, content)
                                            : program.shared.read(unknown, place, content)))
        return false;
    }
  return true;
}

bool Warp::multiplyOpaque(MatrixMultiplyAddOp op) {
  MatrixType aType = op.getA().getType(), bType = op.getB().getType(), type = op.getType();
  bool isOffered = llvm::any_of(program.options.target->matrixInstructions, [&](const auto &row) {
    return row.isOpaque && int64_t(row.m) == type.getRows() &&
           int64_t(row.n) == type.getColumns() && int64_t(row.k) == aType.getColumns();
  });
  if (!isOffered)
    return fail(op, "the target has no such matrix instruction");
  auto number = [](uint64_t word, Type element) -> double {
    return element.isInteger(8) ? double(int8_t(word)) : toDouble(word, element);
  };
  Data &result = define(op.getResult());
  const Data &a = get(op.getA()), &b = get(op.getB()), &acc = get(op.getAcc());
  for (unsigned i = 0; i < type.getRows(); ++i)
    for (unsigned j = 0; j < type.getColumns(); ++j) {
      double sum = 0;
      for (unsigned k = 0; k < aType.getColumns(); ++k)
        sum += number(a.words[i * aType.getColumns() + k], aType.getElementType()) *
               number(b.words[k * bType.getColumns() + j], bType.getElementType());
      size_t place = i * type.getColumns() + j;
      result.words[place] = accumulate(acc.words[place], sum, type.getElementType());
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

/// Begins to read a block of an operand from shared memory: `rows` from `firstRow` on along the
/// dimension that is not summed over, by k.
bool Warp::readOperand(GroupMmaOp op, bool isA, unsigned firstRow, unsigned rows, unsigned k,
                       MatrixElement element, std::vector<double> &matrix) {
  Value buffer = isA ? Value(op.getABuffer()) : Value(op.getBBuffer());
  Value offset = isA ? Value(op.getAOffset()) : Value(op.getBOffset());
  layout::MatrixTile tile = (isA ? *op.getATile() : op.getBTile()).getTile();
  ArrayRef<int64_t> block = isA ? *op.getABlock() : op.getBBlock();
  for (unsigned lane = 1; lane < lanes; ++lane)
    if (at(offset, lane) != at(offset, 0))
      return fail(op, "threads of a warp group disagree about an operand");
  uint64_t begin = placeOf(buffer, offset, 0);
  if (begin % layout::MatrixTile::kChunkBytes)
    return fail(op, "an operand of a warp group starts between multiples of 16 bytes");
  auto &flights = queues[unsigned(AsyncQueue::Products)].open;
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < k; ++j) {
      uint64_t row = firstRow + i, column = j;
      if (!isA)
        std::swap(row, column);
      uint64_t place = tile.permute(
          begin + tile.plainByte(uint64_t(block[0]) + row, uint64_t(block[1]) + column));
      uint64_t word = 0;
      Thread reader = thread(kUnknownLane);
      auto content = MutableArrayRef(reinterpret_cast<uint8_t *>(&word), tile.elementBytes);
      if (!check(op, program.shared.beginRead(reader, place, content)))
        return false;
      matrix[i * k + j] = decode(word, element, op.getContext());
      if (!flights.empty() && flights.back().op == op &&
          flights.back().place + flights.back().count == place)
        flights.back().count += tile.elementBytes;
      else
        flights.push_back({op, reader, place, tile.elementBytes, {}, nullptr});
    }
  return true;
}

/// The warp's part of a group's rows.
bool Warp::multiplyInGroup(GroupMmaOp op) {
  const WarpGroupInstruction *row = program.options.target->findWarpGroup(op.getInstruction());
  if (!row || op.getRows() != row->m || op.getSteps() != row->k ||
      !llvm::isPowerOf2_64(op.getColumns()) || op.getColumns() < row->leastColumns() ||
      op.getColumns() > row->n || op.getThreads() != int64_t(row->warps) * lanes)
    return fail(op, "unknown instruction of warp groups");
  unsigned columns = op.getColumns(), k = row->k, inGroup = number % row->warps;
  if (!program.joinGroup(*this, row->warps, products++, op))
    return false;
  unsigned rows = row->m / row->warps, firstRow = inGroup * rows;
  std::vector<double> a(rows * k), b(columns * k);
  if (op.getABuffer()) {
    if (!readOperand(op, /*isA=*/true, firstRow, rows, k, row->a, a))
      return false;
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < countOf(op.getA()); ++reg) {
        auto position = row->aLayout.apply({reg, lane});
        a[position[0] * k + position[1]] =
            decode(at(op.getA(), lane, reg), row->a, op.getContext());
      }
  }
  if (!readOperand(op, /*isA=*/false, 0, columns, k, row->b, b))
    return false;
  bool reads = !op.getAccumulates() || at(op.getAccumulates(), 0);
  for (unsigned lane = 1; op.getAccumulates() && lane < lanes; ++lane)
    if (bool(at(op.getAccumulates(), lane)) != reads)
      return fail(op, "threads of a warp group disagree about its accumulator");
  layout::LinearLayout dLayout = row->resultLayout(columns);
  Data &result = define(op.getResult());
  Type accType = cast<VectorType>(op.getType()).getElementType();
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned reg = 0; reg < result.count; ++reg) {
      auto position = dLayout.apply({reg, lane, inGroup});
      double sum = 0;
      for (unsigned i = 0; i < k; ++i)
        sum += a[(position[0] - firstRow) * k + i] * b[position[1] * k + i];
      result.words[size_t(lane) * result.count + reg] =
          accumulate(reads ? at(op.getAcc(), lane, reg) : 0, sum, accType);
    }
  inFlight[op.getResult()] = queues[unsigned(AsyncQueue::Products)].closed;
  return true;
}

/// Results of matrix instructions in flight may only be passed on.
bool Warp::checkInFlight(const Step &step) {
  Operation *op = step.op;
  std::optional<uint64_t> last;
  for (Value operand : op->getOperands())
    if (auto flight = inFlight.find(operand); flight != inFlight.end())
      last = std::max(last.value_or(0), flight->second);
  if (!last)
    return true;
  if (isa<vector::ToElementsOp, vector::FromElementsOp>(op)) {
    for (Value result : op->getResults())
      inFlight[result] = *last;
    return true;
  }
  if (isa<GroupMmaOp, GroupMmaWaitOp, scf::YieldOp, scf::ForOp>(op))
    return true;
  return fail(op, "a result of a matrix instruction is used before it has been waited for");
}

std::optional<bool> Warp::multiplyMatrices(Operation *op) {
  if (auto load = dyn_cast<LoadMatrixOp>(op))
    return loadMatrix(load);
  if (auto load = dyn_cast<LoadTransposedOp>(op))
    return loadTransposed(load);
  if (auto mma = dyn_cast<MmaOp>(op))
    return multiply(mma);
  if (auto load = dyn_cast<MatrixLoadOp>(op))
    return transferMatrix(op, load.getBuffer(), load.getOffset(), load.getType(), load.getPitch(),
                          load.getColumnMajor(), define(load.getResult()));
  if (auto store = dyn_cast<MatrixStoreOp>(op))
    return transferMatrix(op, store.getBuffer(), store.getOffset(), store.getMatrix().getType(),
                          store.getPitch(), false, get(store.getMatrix()));
  if (auto splat = dyn_cast<MatrixSplatOp>(op)) {
    Data &result = define(splat.getResult());
    for (size_t i = 0; i < result.words.size(); ++i)
      result.words[i] = at(splat.getScalar(), unsigned(i / result.count));
    return true;
  }
  if (auto product = dyn_cast<MatrixMultiplyAddOp>(op))
    return multiplyOpaque(product);
  if (auto product = dyn_cast<GroupMmaOp>(op))
    return multiplyInGroup(product);
  if (auto wait = dyn_cast<GroupMmaWaitOp>(op)) {
    const Queue &queue = queues[unsigned(AsyncQueue::Products)];
    uint64_t done = queue.closed - queue.groups.size();
    auto flights = llvm::to_vector(inFlight);
    for (auto [value, group] : flights)
      if (group < done)
        inFlight.erase(value);
    assign(wait.getResults(), wait.getAccs());
    return true;
  }
  return std::nullopt;
}
