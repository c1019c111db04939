// The state of one program on the emulator: values, memory, and what is under way. Internal to it:
// Emulator.cpp runs ops, EmulatorMatrices.cpp those on matrices.
#pragma once

#include "tests/kernels/Emulator.h"

#include <deque>

namespace tilerun::test::emulator {

using namespace mlir;
using namespace tilerun::simt;

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
  bool multiply(MmaOp op);
  bool loadMatrix(LoadMatrixOp op);
  bool multiplyInGroups(WgmmaOp op);
  bool transferMatrix(Operation *op, Value buffer, Value offset, MatrixType type, uint64_t pitch,
                      bool byColumns, Data &data);
  bool multiplyMatrices(MatrixMultiplyAddOp op);
  bool checkInFlight(Operation *op);
  /// None of an operation that does nothing with memory.
  std::optional<bool> accessMemory(Operation *op);
  bool access(AtomicRMWOp op);
  bool access(LoadOp op);
  bool access(StoreOp op);
  bool access(AtomicCASOp op);
  bool access(SharedLoadOp op);
  bool access(SharedStoreOp op);
  bool access(SharedAddOp op);
  bool access(AsyncCopyOp op);
  bool access(AsyncCommitOp op);
  bool access(AsyncWaitOp op);

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

} // namespace tilerun::test::emulator
