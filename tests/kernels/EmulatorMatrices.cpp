// Matrix instructions on the emulator: of warps, opaque ones, and of warp groups.
#include "tests/kernels/EmulatorElementwise.h"
#include "tests/kernels/EmulatorMachine.h"

#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "tests/ir/layout/MatrixReads.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

bool Machine::multiply(MmaOp op) {
  const MatrixInstruction *row = nullptr;
  for (const MatrixInstruction &known : options.target->matrixInstructions)
    if (known.name == op.getInstruction())
      row = &known;
  if (!row)
    return fail(op, "unknown matrix instruction");
  auto decode = [&](uint64_t word, MatrixElement element, Type type) -> double {
    MLIRContext *context = op.getContext();
    switch (element) {
    case MatrixElement::I8:
      return int8_t(word);
    case MatrixElement::E4M3:
      return toDouble(word, Float8E4M3FNType::get(context));
    case MatrixElement::E5M2:
      return toDouble(word, Float8E5M2Type::get(context));
    case MatrixElement::TF32:
      return toDouble(word & ~uint64_t(0x1fff), type); // what lies below is not looked at
    default:
      return toDouble(word, type);
    }
  };
  Data result = define(op.getResult());
  Type accType = cast<VectorType>(op.getType()).getElementType();
  for (unsigned warp = 0; warp < options.numWarps; ++warp) {
    std::vector<double> a(row->m * row->k), b(row->k * row->n);
    auto fill = [&](Value fragment, const layout::LinearLayout &layout, MatrixElement element,
                    unsigned columns, std::vector<double> &matrix) {
      Type type = cast<VectorType>(fragment.getType()).getElementType();
      for (unsigned lane = 0; lane < lanes; ++lane)
        for (unsigned reg = 0; reg < countOf(fragment.getType()); ++reg) {
          auto position = layout.apply({reg, lane});
          matrix[position[0] * columns + position[1]] =
              decode(at(fragment, warp * lanes + lane, reg), element, type);
        }
    };
    fill(op.getA(), row->aLayout, row->a, row->k, a);
    fill(op.getB(), row->bLayout, row->b, row->n, b);
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < result.count; ++reg) {
        auto position = row->dLayout.apply({reg, lane});
        uint64_t acc = at(op.getAcc(), warp * lanes + lane, reg);
        double sum = 0;
        for (unsigned k = 0; k < row->k; ++k)
          sum += a[position[0] * row->k + k] * b[k * row->n + position[1]];
        result.words[(warp * lanes + lane) * result.count + reg] =
            accType.isInteger(32) ? uint32_t(int32_t(acc) + int32_t(sum))
                                  : fromDouble(toDouble(acc, accType) + sum, accType);
      }
  }
  values[op.getResult()] = result;
  return true;
}

bool Machine::loadMatrix(LoadMatrixOp op) {
  Data result = define(op.getResult());
  // A lane gets two 16-bit units of each matrix, whatever the elements are.
  unsigned bits = 8 * getScalarBytes(op.getType());
  for (unsigned t = 0; t < threads; ++t)
    for (unsigned i = 0; i < op.getCount(); ++i) {
      uint64_t pair = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned lane = t % lanes, row = lane / 4, column = 2 * (lane % 4) + e;
        if (op.getTransposed())
          std::swap(row, column);
        uint64_t place = placeOf(op.getBuffer(), op.getOffset(), t - lane + 8 * i + row);
        uint16_t word = 0;
        if (!readShared(op, t, place + 2 * column,
                        MutableArrayRef(reinterpret_cast<uint8_t *>(&word), 2)))
          return false;
        pair |= uint64_t(word) << (16 * e);
      }
      for (unsigned e = 0; e < 32 / bits; ++e)
        result.words[size_t(t) * result.count + i * (32 / bits) + e] =
            (pair >> (bits * e)) & ((uint64_t(1) << bits) - 1);
    }
  values[op.getResult()] = result;
  return true;
}

/// Loads or stores (for a MatrixStoreOp) a matrix of each warp. It counts as done by a lane that
/// had nothing to do with these bytes before, because nobody knows which lane it is.
bool Machine::transferMatrix(Operation *op, Value buffer, Value offset, MatrixType type,
                             uint64_t pitch, bool byColumns, Data &data) {
  unsigned bytes = getScalarBytes(type.getElementType());
  bool isStore = isa<MatrixStoreOp>(op);
  for (unsigned first = 0; first < threads; first += lanes) {
    uint64_t start = placeOf(buffer, offset, first);
    for (unsigned lane = 1; lane < lanes; ++lane)
      if (placeOf(buffer, offset, first + lane) != start)
        return fail(op, "lanes of a warp disagree about a matrix");
    if (start % 16)
      return fail(op, "a matrix starts between multiples of 16 bytes");
    for (unsigned i = 0; i < type.getRows(); ++i)
      for (unsigned j = 0; j < type.getColumns(); ++j) {
        uint64_t place = start + (byColumns ? j * pitch + i * bytes : i * pitch + j * bytes);
        uint64_t &word = data.words[size_t(first) * data.count + i * type.getColumns() + j];
        auto content = MutableArrayRef(reinterpret_cast<uint8_t *>(&word), bytes);
        unsigned thread = first;
        if (place < shadows.size())
          while (thread + 1 < first + lanes && (int(thread) == shadows[place].writer ||
                                                (isStore && int(thread) == shadows[place].reader)))
            ++thread;
        if (!(isStore ? writeShared(op, thread, place, content)
                      : readShared(op, thread, place, content)))
          return false;
      }
  }
  return true;
}

bool Machine::multiplyMatrices(MatrixMultiplyAddOp op) {
  MatrixType aType = op.getA().getType(), bType = op.getB().getType(), type = op.getType();
  bool isOffered = llvm::any_of(options.target->matrixInstructions, [&](const auto &row) {
    return row.isOpaque && int64_t(row.m) == type.getRows() &&
           int64_t(row.n) == type.getColumns() && int64_t(row.k) == aType.getColumns();
  });
  if (!isOffered)
    return fail(op, "the target has no such matrix instruction");
  auto decode = [](uint64_t word, Type element) -> double {
    return element.isInteger(8) ? double(int8_t(word)) : toDouble(word, element);
  };
  Data result = define(op.getResult());
  const Data &a = get(op.getA()), &b = get(op.getB()), &acc = get(op.getAcc());
  for (unsigned first = 0; first < threads; first += lanes)
    for (unsigned i = 0; i < type.getRows(); ++i)
      for (unsigned j = 0; j < type.getColumns(); ++j) {
        double sum = 0;
        for (unsigned k = 0; k < aType.getColumns(); ++k)
          sum += decode(a.words[size_t(first) * a.count + i * aType.getColumns() + k],
                        aType.getElementType()) *
                 decode(b.words[size_t(first) * b.count + k * bType.getColumns() + j],
                        bType.getElementType());
        size_t place = size_t(first) * acc.count + i * type.getColumns() + j;
        result.words[place] =
            type.getElementType().isInteger(32)
                ? uint32_t(int32_t(acc.words[place]) + int32_t(sum))
                : fromDouble(toDouble(acc.words[place], type.getElementType()) + sum,
                             type.getElementType());
      }
  values[op.getResult()] = result;
  return true;
}

bool Machine::multiplyInGroups(WgmmaOp op) {
  const WarpGroupInstruction *row = nullptr;
  unsigned columns = 0;
  StringRef name = op.getInstruction();
  name.consume_front("m64n");
  name.consumeInteger(10, columns);
  for (const WarpGroupInstruction &known : options.target->warpGroupInstructions)
    if (name == "k" + std::to_string(known.k) + "." + known.types)
      row = &known;
  if (!row)
    return fail(op, "unknown instruction of warp groups");
  unsigned k = row->k, bytes = 32 / k, group = 4 * lanes;
  MLIRContext *context = op.getContext();
  auto decode = [&](uint64_t word, MatrixElement element) -> double {
    switch (element) {
    case MatrixElement::F16:
      return toDouble(word, Float16Type::get(context));
    case MatrixElement::BF16:
      return toDouble(word, BFloat16Type::get(context));
    case MatrixElement::TF32:
      return toDouble(word & ~uint64_t(0x1fff), Float32Type::get(context));
    case MatrixElement::E4M3:
      return toDouble(word, Float8E4M3FNType::get(context));
    case MatrixElement::E5M2:
      return toDouble(word, Float8E5M2Type::get(context));
    default:
      return int8_t(word);
    }
  };
  layout::LinearLayout dLayout = *layout::wgmmaLayout(columns);
  Data result = define(op.getResult());
  Type accType = cast<VectorType>(op.getType()).getElementType();
  for (unsigned first = 0; first < threads; first += group) {
    auto read = [&](Value buffer, Value offset, int64_t start, ArrayRef<int64_t> tile,
                    bool transposed, unsigned rows, MatrixElement element,
                    std::vector<double> &matrix) {
      for (unsigned t = first; t < first + group; ++t)
        if (at(offset, t) != at(offset, first))
          return fail(op, "threads of a warp group disagree about an operand");
      layout::MatrixDescription description;
      description.swizzleBytes = tile[0];
      description.leadingBytes = tile[1];
      description.strideBytes = tile[2];
      uint64_t begin = placeOf(buffer, offset, first) + start;
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < k; ++j) {
          uint64_t place = matrixReadAddress(description.encode(), !transposed, begin, i, j, bytes);
          uint64_t word = 0;
          if (!readShared(op, first, place,
                          MutableArrayRef(reinterpret_cast<uint8_t *>(&word), bytes)))
            return false;
          if (!shadows[place].isFenced)
            return fail(op, "no fence between a write of shared memory and a matrix instruction");
          matrix[i * k + j] = decode(word, element);
          openReads.push_back({op, first, bytes, place, word});
        }
      return true;
    };
    std::vector<double> a(64 * k), b(columns * k);
    if (op.getABuffer()) {
      if (!read(op.getABuffer(), op.getAOffset(), op.getAStart(), op.getATile(),
                op.getATransposed(), 64, row->a, a))
        return false;
    } else {
      auto kind = k == 8    ? layout::FragmentKind::MmaA32
                  : k == 16 ? layout::FragmentKind::MmaA16
                            : layout::FragmentKind::MmaA8;
      layout::LinearLayout fragment = layout::fragmentLayout(kind);
      for (unsigned t = 0; t < group; ++t)
        for (unsigned reg = 0; reg < countOf(op.getA().getType()); ++reg) {
          auto position = fragment.apply({reg, t % lanes});
          a[(position[0] + t / lanes * 16) * k + position[1]] =
              decode(at(op.getA(), first + t, reg), row->a);
        }
    }
    if (!read(op.getBBuffer(), op.getBOffset(), op.getBStart(), op.getBTile(), op.getBTransposed(),
              columns, row->b, b))
      return false;
    for (unsigned t = 0; t < group; ++t)
      for (unsigned reg = 0; reg < result.count; ++reg) {
        auto position = dLayout.apply({reg, t % lanes, t / lanes});
        uint64_t acc = at(op.getAcc(), first + t, reg);
        double sum = 0;
        for (unsigned i = 0; i < k; ++i)
          sum += a[position[0] * k + i] * b[position[1] * k + i];
        result.words[size_t(first + t) * result.count + reg] =
            accType.isInteger(32) ? uint32_t(int32_t(acc) + int32_t(sum))
                                  : fromDouble(toDouble(acc, accType) + sum, accType);
      }
  }
  values[op.getResult()] = result;
  return true;
}

/// Results of matrix instructions that are under way may only be handed on.
bool Machine::checkInFlight(Operation *op) {
  if (!llvm::any_of(op->getOperands(), [&](Value value) { return inFlight.contains(value); }))
    return true;
  if (isa<vector::ToElementsOp, vector::FromElementsOp>(op)) {
    inFlight.insert(op->getResults().begin(), op->getResults().end());
    return true;
  }
  if (isa<WgmmaOp, WgmmaWaitOp, scf::YieldOp, scf::ForOp>(op))
    return true;
  return fail(op, "a result of a matrix instruction is used before it has been waited for");
}
