// Copies of boxes: what the tensor map of a launch would have, by the rules of its encoder, and the
// bytes that the engine moves.
#include "tests/kernels/EmulatorWarp.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;
using namespace tilerun::test::emulator;

namespace {
/// A tensor as a launch with these arguments has it.
struct Tensor {
  std::string problem; ///< Why it cannot be encoded; empty: it can.
  uint64_t base = 0, bytes = 0;
  SmallVector<int64_t, 5> extents, strides; ///< A stride for each dimension, in bytes.
  bool isEmpty() const {
    return llvm::any_of(extents, [](int64_t size) { return size < 1; });
  }
  /// The lines of a box in shared memory.
  layout::MatrixTile getLines(ArrayRef<int64_t> tile) const {
    return {{tile[1], tile[0]}, /*inner=*/1, unsigned(bytes)};
  }
  /// Calls `work` with the address and the place in shared memory of each element of a box that is
  /// in the tensor, until one fails.
  bool forEachElement(ArrayRef<int32_t> starts, ArrayRef<int64_t> tile,
                      llvm::function_ref<bool(uint64_t address, uint64_t place)> work) const {
    const layout::MatrixTile lines = getLines(tile);
    for (int64_t line = 0; line < tile[1]; ++line)
      for (int64_t along = 0; along < tile[0]; ++along)
        if (std::optional<uint64_t> address = find(starts, along, line))
          if (!work(*address, lines.permute(lines.plainByte(line, along))))
            return false;
    return true;
  }

private:
  /// Where an element of a box that begins at `starts` is; nullopt outside of the tensor.
  std::optional<uint64_t> find(ArrayRef<int32_t> starts, int64_t along, int64_t line) const {
    uint64_t address = base;
    bool isInside = !isEmpty();
    for (auto [dim, start] : llvm::enumerate(starts)) {
      int64_t index = start + (dim == 0 ? along : dim == 1 ? line : 0);
      isInside &= index >= 0 && index < extents[dim];
      address += uint64_t(index * strides[dim]);
    }
    return isInside ? std::optional(address) : std::nullopt;
  }
};
} // namespace

static Tensor encode(schedule::BoxAttr box, llvm::function_ref<uint64_t(unsigned)> argument) {
  Tensor tensor;
  tensor.bytes = tile::getElementBytes(box.getElement());
  tensor.base = argument(box.getBase());
  Builder b(box.getContext());
  SmallVector<Attribute> symbols;
  for (int32_t number : box.getArguments().asArrayRef())
    symbols.push_back(b.getIndexAttr(int32_t(argument(number))));
  auto evaluate = [&](AffineMapAttr map, SmallVectorImpl<int64_t> &numbers) {
    SmallVector<Attribute> results;
    if (failed(map.getValue().constantFold(symbols, results)))
      tensor.problem = "extents or strides that are not numbers";
    for (Attribute result : results)
      numbers.push_back(cast<IntegerAttr>(result).getInt());
  };
  evaluate(box.getExtents(), tensor.extents);
  tensor.strides.push_back(int64_t(tensor.bytes));
  evaluate(box.getStrides(), tensor.strides);
  for (int32_t number : box.getNatural().asArrayRef())
    if (int32_t(argument(number)) < 0)
      tensor.problem = "a negative argument";
  if (tensor.base % 16)
    tensor.problem = "a misaligned address";
  for (int64_t stride : ArrayRef(tensor.strides).drop_front())
    if (stride < 1 || stride >= int64_t(1) << 40 || stride % 16)
      tensor.problem = "an impossible stride";
  int64_t line = box.getTile()[0] * int64_t(tensor.bytes);
  if (line > 128 || line % 16 ||
      llvm::any_of(box.getTile().asArrayRef(), [](int64_t size) { return size > 256; }))
    tensor.problem = "an impossible box";
  return tensor;
}

/// The tensor of a box, by the values of the kernel's arguments.
template <typename Op>
static Tensor encodeOf(Op op, llvm::function_ref<uint64_t(Value argument)> valueOf) {
  auto kernel = op->template getParentOfType<func::FuncOp>();
  return encode(op.getTensor(),
                [&](unsigned number) { return valueOf(kernel.getArgument(number)); });
}

SmallVector<int32_t, 5> Warp::startsIn(ValueRange starts, unsigned lane) {
  SmallVector<int32_t, 5> numbers;
  for (Value start : starts)
    numbers.push_back(int32_t(at(start, lane)));
  return numbers;
}

bool Warp::access(BoxCopyOp op) {
  const Tensor tensor = encodeOf(op, [&](Value argument) { return at(argument, 0); });
  if (!tensor.problem.empty())
    return fail(op, "the tensor of a box has " + tensor.problem);
  ArrayRef<int64_t> tile = op.getTensor().getTile().asArrayRef();
  const layout::MatrixTile lines = tensor.getLines(tile);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(op.getMask(), lane))
      continue;
    Program::Box box{op, this, placeOf(op.getBuffer(), op.getOffset(), lane),
                     placeOf(op.getPhases(), op.getPlace(), lane),
                     std::vector<uint8_t>(size_t(tile[0] * tile[1]) * tensor.bytes, 0)};
    if (box.place % lines.alignment())
      return fail(op, "misaligned copy of a box");
    SmallVector<Program *> receivers;
    for (const std::unique_ptr<Program> &block : program.cluster.blocks)
      if (block.get() == &program || op.getMulticast())
        receivers.push_back(block.get());
    for (Program *block : receivers) {
      if (block->hasEnded())
        return fail(op, "copies to a block that has ended");
      if (!check(op, block->shared.checkPhase(thread(lane), box.phase)) ||
          !check(op, block->shared.beginBox(thread(lane), box.place, box.bytes.size())))
        return false;
    }
    auto read = [&](uint64_t address, uint64_t place) {
      uint8_t *source = program.find(*this, op, address, tensor.bytes);
      if (source)
        std::memcpy(&box.bytes[place], source, tensor.bytes);
      return source != nullptr;
    };
    if (!tensor.forEachElement(startsIn(op.getStarts(), lane), tile, read))
      return false;
    // Each of them lands at a time of its own.
    for (Program *block : receivers)
      block->send(box);
  }
  return true;
}

bool Warp::access(BoxStoreOp op) {
  const Tensor tensor = encodeOf(op, [&](Value argument) { return at(argument, 0); });
  if (!tensor.problem.empty())
    return fail(op, "the tensor of a box has " + tensor.problem);
  ArrayRef<int64_t> tile = op.getTensor().getTile().asArrayRef();
  const layout::MatrixTile lines = tensor.getLines(tile);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!isActive(op.getMask(), lane))
      continue;
    std::vector<uint8_t> bytes(size_t(tile[0] * tile[1]) * tensor.bytes, 0);
    Flight flight{op,           thread(lane), placeOf(op.getBuffer(), op.getOffset(), lane),
                  bytes.size(), {},           nullptr};
    if (flight.place % lines.alignment())
      return fail(op, "misaligned copy of a box");
    if (!check(op, program.shared.beginRead(flight.thread, flight.place, bytes)))
      return false;
    flight.elementBytes = tensor.bytes;
    auto write = [&](uint64_t address, uint64_t place) {
      uint8_t *to = program.find(*this, op, address, tensor.bytes);
      uint64_t element = 0;
      std::memcpy(&element, &bytes[place], tensor.bytes);
      flight.stored.push_back({to, element});
      return to != nullptr;
    };
    if (!tensor.forEachElement(startsIn(op.getStarts(), lane), tile, write))
      return false;
    // They arrive when the wait ends, though that waits for the reads alone.
    queues[unsigned(AsyncQueue::Stores)].open.push_back(std::move(flight));
  }
  return true;
}
