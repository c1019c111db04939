// See Emulator.h. A value is one word for each thread and element.
#include "tests/kernels/Emulator.h"
#include "tests/kernels/EmulatorElementwise.h"

#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "tests/ir/layout/MatrixReads.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

#include <deque>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;

namespace {

struct Data {
  unsigned count = 1; ///< Elements of a thread.
  std::vector<uint64_t> words;
};

/// A number of a writer: threads that add.
constexpr int kAdders = -3;

/// Who touched a byte of shared memory since when.
struct Shadow {
  int writer = -1, reader = -1; ///< Threads; -1: nobody, -2: several, kAdders.
  uint64_t written = 0, read = 0, warpWritten = 0, warpRead = 0;
  bool hasValue = false;
  bool isFenced = false; ///< Matrix instructions of warp groups see it.
};

class Machine {
public:
  Machine(func::FuncOp kernel, ArrayRef<MemoryRange> memory, const EmulatorOptions &options)
      : kernel(kernel), memory(memory), options(options), lanes(options.target->warpSize),
        threads(options.numWarps * options.target->warpSize) {}
  llvm::Error run(ArrayRef<uint64_t> arguments, uint64_t program);

private:
  bool fail(Operation *op, const Twine &message) {
    if (error.empty()) {
      llvm::raw_string_ostream os(error);
      os << message << ": ";
      op->print(os, OpPrintingFlags().skipRegions());
    }
    return false;
  }
  /// Of a matrix, a lane's words are a part of its elements in row-major order, as in no hardware.
  unsigned countOf(Type type) const {
    if (auto matrix = dyn_cast<MatrixType>(type))
      return llvm::divideCeil(matrix.getRows() * matrix.getColumns(), lanes);
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getNumElements() : 1;
  }
  Data &define(Value value) {
    Data &data = values[value];
    data.count = countOf(value.getType());
    data.words.assign(size_t(threads) * data.count, 0);
    return data;
  }
  const Data &get(Value value) { return values[value]; }
  uint64_t at(Value value, unsigned thread, unsigned i = 0) {
    const Data &data = values[value];
    return data.words[size_t(thread) * data.count + i];
  }
  bool active(Value mask, unsigned thread) {
    return running[thread] && (!mask || (at(mask, thread) & 1));
  }
  void assign(ValueRange to, ValueRange from) {
    SmallVector<Data> copies;
    SmallVector<bool> flying;
    for (Value value : from) {
      copies.push_back(values[value]);
      flying.push_back(inFlight.contains(value));
    }
    for (auto [value, data, flies] : llvm::zip(to, copies, flying)) {
      Data &target = values[value];
      if (target.words.size() != data.words.size() || !isDiverged())
        target = data;
      else // only in the threads that run
        for (unsigned t = 0; t < threads; ++t)
          for (unsigned i = 0; running[t] && i < data.count; ++i)
            target.words[size_t(t) * data.count + i] = data.words[size_t(t) * data.count + i];
      if (flies)
        inFlight.insert(value);
      else
        inFlight.erase(value);
    }
  }

  bool isDiverged() const { return llvm::is_contained(running, false); }
  /// Runs `body` in the running threads where `condition` holds, if there are any.
  bool where(const std::vector<bool> &condition, llvm::function_ref<bool()> body) {
    std::vector<bool> outer = running;
    for (unsigned t = 0; t < threads; ++t)
      running[t] = outer[t] && condition[t];
    bool ok = !llvm::is_contained(running, true) || body();
    running = outer;
    return ok;
  }
  bool anyRuns(const std::vector<bool> &condition) const {
    for (unsigned t = 0; t < threads; ++t)
      if (running[t] && condition[t])
        return true;
    return false;
  }
  std::vector<bool> flags(Value value) {
    std::vector<bool> result(threads);
    for (unsigned t = 0; t < threads; ++t)
      result[t] = at(value, t) & 1;
    return result;
  }

  bool block(Block &block);
  bool execute(Operation &op);
  bool loop(scf::ForOp op);
  bool constant(arith::ConstantOp op);
  bool elementwise(Operation &op);
  bool exchange(ShuffleOp op);
  bool atomic(AtomicRMWOp op);
  bool multiply(MmaOp op);
  bool loadMatrix(LoadMatrixOp op);
  bool multiplyInGroups(WgmmaOp op);
  bool transferMatrix(Operation *op, Value buffer, Value offset, MatrixType type, uint64_t pitch,
                      bool byColumns, Data &data);
  bool multiplyMatrices(MatrixMultiplyAddOp op);
  bool checkInFlight(Operation *op);

  // Global memory
  uint8_t *find(Operation *op, uint64_t address, uint64_t bytes) {
    for (const MemoryRange &range : memory) {
      uint64_t base = reinterpret_cast<uint64_t>(range.base);
      if (address >= base && address + bytes <= base + range.bytes) {
        if ((address - base) % bytes)
          fail(op, "misaligned access");
        return range.base + (address - base);
      }
    }
    fail(op, "access outside of all buffers");
    return nullptr;
  }
  static uint64_t readWord(const uint8_t *from, unsigned bytes) {
    uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
  }

  // Shared memory
  uint64_t placeOf(Value buffer, Value offset, unsigned thread) {
    return *buffer.getDefiningOp<SharedAllocOp>().getOffset() + uint32_t(at(offset, thread));
  }
  bool ordered(int other, unsigned thread, uint64_t when, uint64_t warpWhen) const {
    if (other == -1 || when < epoch)
      return true;
    return other >= 0 && (other == int(thread) ||
                          (other / int(lanes) == int(thread / lanes) && warpWhen < warpEpoch));
  }
  bool writeShared(Operation *op, unsigned thread, uint64_t place, ArrayRef<uint8_t> bytes);
  bool readShared(Operation *op, unsigned thread, uint64_t place, MutableArrayRef<uint8_t> bytes);

  func::FuncOp kernel;
  ArrayRef<MemoryRange> memory;
  const EmulatorOptions &options;
  unsigned lanes, threads;
  uint64_t program = 0, epoch = 1, warpEpoch = 1, steps = 0;
  std::string error;
  std::vector<bool> running; ///< By thread.
  llvm::DenseMap<Value, Data> values;
  std::vector<uint8_t> arena;
  std::vector<Shadow> shadows;
  struct Copy {
    unsigned thread;
    uint64_t place;
    std::vector<uint8_t> bytes;
    Operation *op;
  };
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
  // Matrix instructions of warp groups that are under way, and what they have not delivered yet.
  struct Read {
    Operation *op;
    unsigned thread, bytes;
    uint64_t place, word;
  };
  std::vector<Read> openReads;
  std::deque<std::vector<Read>> readGroups;
  llvm::DenseSet<Value> inFlight;
};

bool Machine::writeShared(Operation *op, unsigned thread, uint64_t place, ArrayRef<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (place + i >= arena.size())
      return fail(op, "write beyond shared memory");
    Shadow &shadow = shadows[place + i];
    if (!ordered(shadow.reader, thread, shadow.read, shadow.warpRead))
      return fail(op, "no barrier after another thread's read of shared memory");
    // Threads may write the same value.
    if (!ordered(shadow.writer, thread, shadow.written, shadow.warpWritten) &&
        arena[place + i] != bytes[i])
      return fail(op, "no barrier after another thread's write of shared memory");
    bool again = !ordered(shadow.writer, thread, shadow.written, shadow.warpWritten);
    shadow = {again ? -2 : int(thread), -1, epoch, 0, warpEpoch, 0, true, false};
    arena[place + i] = bytes[i];
  }
  return true;
}

bool Machine::readShared(Operation *op, unsigned thread, uint64_t place,
                         MutableArrayRef<uint8_t> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (place + i >= arena.size())
      return fail(op, "read beyond shared memory");
    Shadow &shadow = shadows[place + i];
    if (!shadow.hasValue)
      return fail(op, "read of shared memory that was never written, byte " + Twine(place + i) +
                          " by thread " + Twine(thread));
    if (!ordered(shadow.writer, thread, shadow.written, shadow.warpWritten))
      return fail(op, "no barrier after another thread's write of shared memory");
    bool again = shadow.reader != -1 && shadow.reader != int(thread) && shadow.read == epoch;
    shadow.reader = again ? -2 : int(thread);
    shadow.read = epoch;
    shadow.warpRead = warpEpoch;
    bytes[i] = arena[place + i];
  }
  return true;
}

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

bool Machine::atomic(AtomicRMWOp op) {
  Data result = define(op.getResult());
  Type type = op.getValue().getType();
  unsigned bits = type.getIntOrFloatBitWidth(), bytes = bits / 8;
  auto asSigned = [&](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  for (unsigned t = 0; t < threads; ++t) {
    if (!active(op.getMask(), t))
      continue;
    uint8_t *place = find(op, at(op.getAddress(), t), bytes);
    if (!place)
      return false;
    uint64_t old = readWord(place, bytes), value = at(op.getValue(), t), next = 0;
    using tile::AtomicKind;
    auto floats = [&](auto f) {
      return fromDouble(f(toDouble(old, type), toDouble(value, type)), type);
    };
    switch (op.getKind()) {
    case AtomicKind::And:
      next = old & value;
      break;
    case AtomicKind::Or:
      next = old | value;
      break;
    case AtomicKind::Xor:
      next = old ^ value;
      break;
    case AtomicKind::Add:
      next = old + value;
      break;
    case AtomicKind::Max:
      next = asSigned(old) > asSigned(value) ? old : value;
      break;
    case AtomicKind::Min:
      next = asSigned(old) < asSigned(value) ? old : value;
      break;
    case AtomicKind::UMax:
      next = std::max(old, value);
      break;
    case AtomicKind::UMin:
      next = std::min(old, value);
      break;
    case AtomicKind::Xchg:
      next = value;
      break;
    case AtomicKind::FAdd:
      next = floats([](double x, double y) { return x + y; });
      break;
    case AtomicKind::FMax:
      next = floats([](double x, double y) { return std::max(x, y); });
      break;
    case AtomicKind::FMin:
      next = floats([](double x, double y) { return std::min(x, y); });
      break;
    }
    std::memcpy(place, &next, bytes);
    result.words[t] = old;
  }
  values[op.getResult()] = result;
  return true;
}

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
  if (auto load = dyn_cast<LoadOp>(op)) {
    Data result = define(load.getResult());
    unsigned bytes = getScalarBytes(load.getType());
    for (unsigned t = 0; t < threads; ++t) {
      if (!active(load.getMask(), t)) {
        for (unsigned i = 0; load.getOther() && i < result.count; ++i)
          result.words[size_t(t) * result.count + i] = at(load.getOther(), t, i);
        continue;
      }
      uint8_t *place = find(op, at(load.getAddress(), t), uint64_t(bytes) * result.count);
      if (!place)
        return false;
      for (unsigned i = 0; i < result.count; ++i)
        result.words[size_t(t) * result.count + i] = readWord(place + i * bytes, bytes);
    }
    values[load.getResult()] = result;
    return true;
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    unsigned bytes = getScalarBytes(store.getValue().getType()),
             count = countOf(store.getValue().getType());
    for (unsigned t = 0; t < threads; ++t) {
      if (!active(store.getMask(), t))
        continue;
      uint8_t *place = find(op, at(store.getAddress(), t), uint64_t(bytes) * count);
      if (!place)
        return false;
      for (unsigned i = 0; i < count; ++i) {
        uint64_t word = at(store.getValue(), t, i);
        std::memcpy(place + i * bytes, &word, bytes);
      }
    }
    return true;
  }
  if (auto rmw = dyn_cast<AtomicRMWOp>(op))
    return atomic(rmw);
  if (auto swap = dyn_cast<AtomicCASOp>(op)) {
    Data result = define(swap.getResult());
    unsigned bytes = getScalarBytes(swap.getType());
    for (unsigned t = 0; t < threads; ++t) {
      if (!active(swap.getMask(), t))
        continue;
      uint8_t *place = find(op, at(swap.getAddress(), t), bytes);
      if (!place)
        return false;
      uint64_t old = readWord(place, bytes), next = at(swap.getValue(), t);
      if (old == at(swap.getCompare(), t))
        std::memcpy(place, &next, bytes);
      result.words[t] = old;
    }
    values[swap.getResult()] = result;
    return true;
  }
  if (auto load = dyn_cast<SharedLoadOp>(op)) {
    Data result = define(load.getResult());
    unsigned bytes = getScalarBytes(load.getType());
    for (unsigned t = 0; t < threads; ++t)
      for (unsigned i = 0; i < result.count; ++i) {
        uint64_t place = placeOf(load.getBuffer(), load.getOffset(), t);
        if (place % (bytes * result.count))
          return fail(op, "misaligned read of shared memory");
        if (!readShared(
                op, t, place + i * bytes,
                MutableArrayRef(reinterpret_cast<uint8_t *>(&result.words[t * result.count + i]),
                                bytes)))
          return false;
      }
    values[load.getResult()] = result;
    return true;
  }
  if (auto store = dyn_cast<SharedStoreOp>(op)) {
    unsigned bytes = getScalarBytes(store.getValue().getType()),
             count = countOf(store.getValue().getType());
    for (unsigned t = 0; t < threads; ++t) {
      if (!active(store.getMask(), t))
        continue;
      uint64_t place = placeOf(store.getBuffer(), store.getOffset(), t);
      if (place % (bytes * count))
        return fail(op, "misaligned write of shared memory");
      for (unsigned i = 0; i < count; ++i) {
        uint64_t word = at(store.getValue(), t, i);
        if (!writeShared(op, t, place + i * bytes,
                         ArrayRef(reinterpret_cast<uint8_t *>(&word), bytes)))
          return false;
      }
    }
    return true;
  }
  if (auto addition = dyn_cast<SharedAddOp>(op)) {
    for (unsigned t = 0; t < threads; ++t) {
      if (!active(addition.getMask(), t))
        continue;
      uint64_t place = placeOf(addition.getBuffer(), addition.getOffset(), t);
      if (place % 4 || place + 4 > arena.size())
        return fail(op, "misaligned or outside of shared memory");
      for (uint64_t i = place; i < place + 4; ++i) {
        Shadow &shadow = shadows[i];
        bool isOrdered = ordered(shadow.reader, t, shadow.read, shadow.warpRead) &&
                         (shadow.writer == kAdders ||
                          ordered(shadow.writer, t, shadow.written, shadow.warpWritten));
        if (!shadow.hasValue || !isOrdered)
          return fail(op, "no barrier before an addition to shared memory");
        shadow = {kAdders, -1, epoch, 0, warpEpoch, 0, true};
      }
      uint32_t word = uint32_t(readWord(&arena[place], 4)) + uint32_t(at(addition.getValue(), t));
      std::memcpy(&arena[place], &word, 4);
    }
    return true;
  }
  if (auto load = dyn_cast<LoadMatrixOp>(op))
    return loadMatrix(load);
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    for (unsigned t = 0; t < threads; ++t) {
      std::vector<uint8_t> bytes(copy.getBytes(), 0);
      if (active(copy.getMask(), t)) {
        uint8_t *place = find(op, at(copy.getAddress(), t), bytes.size());
        if (!place)
          return false;
        std::memcpy(bytes.data(), place, bytes.size());
      }
      open.push_back({t, placeOf(copy.getBuffer(), copy.getOffset(), t), bytes, op});
    }
    return true;
  }
  if (isa<AsyncCommitOp>(op)) {
    groups.push_back(std::move(open));
    open.clear();
    return true;
  }
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    for (; groups.size() > wait.getPending(); groups.pop_front())
      for (Copy &copy : groups.front()) {
        if (!writeShared(copy.op, copy.thread, copy.place, copy.bytes))
          return false;
        // What has been waited for is in shared memory, for everyone who is behind a barrier.
        for (size_t i = 0; i < copy.bytes.size(); ++i)
          shadows[copy.place + i].isFenced = true;
      }
    return true;
  }
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

} // namespace

llvm::Error test::emulate(func::FuncOp kernel, ArrayRef<uint64_t> arguments,
                          ArrayRef<MemoryRange> memory, const EmulatorOptions &options) {
  for (uint64_t program = 0; program < options.grid; ++program) {
    Machine machine(kernel, memory, options);
    if (llvm::Error error = machine.run(arguments, program))
      return error;
  }
  return llvm::Error::success();
}
