// Registers to and from a tile in shared memory: reads by ldmatrix where the layout is a
// fragment's, else by plain accesses that are as wide as the layout allows.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void simt::forEachAccess(const SharedAccess &access, function_ref<void(ArrayRef<unsigned>)> body) {
  uint64_t length = uint64_t(1) << access.vectors.withinRun.size();
  for (uint64_t run = 0; run < (uint64_t(1) << access.vectors.runs.size()); ++run)
    for (uint64_t start = 0; start < length; start += access.vectorElements) {
      SmallVector<unsigned, 16> registers;
      for (uint64_t i = start; i < std::min(length, start + access.vectorElements); ++i)
        registers.push_back(unsigned(layout::combine(access.vectors.runs, run) ^
                                     layout::combine(access.vectors.withinRun, i)));
      body(registers);
    }
}

SmallVector<int64_t> simt::wordsOf(ArrayRef<unsigned> registers, unsigned perWord) {
  SmallVector<int64_t> words;
  for (size_t i = 0; i < registers.size(); i += perWord)
    words.push_back(registers[i] / perWord);
  return words;
}

bool simt::areWords(ArrayRef<unsigned> registers, unsigned perWord) {
  for (auto [i, reg] : llvm::enumerate(registers))
    if (reg % perWord != i % perWord || reg / perWord != registers[i - i % perWord] / perWord)
      return false;
  return registers.size() % perWord == 0;
}

void Lowering::storeShared(Value vector, const LinearLayout &layout, const SharedAccess &access,
                           Value buffer, Value slot, bool ahead) {
  auto type = cast<VectorType>(vector.getType());
  unsigned perWord = (size_t(1) << layout.inBits(kRegister)) / type.getNumElements();
  unsigned bytes = getScalarBytes(type) / perWord;
  llvm::SmallVector<uint64_t, 16> bases = threadBases(access.offsets, kOffset);
  uint64_t bits = 0;
  for (uint64_t &basis : bases)
    bits |= basis *= bytes;
  Value thread = applyToThread(bases), first = isFirstHolder(layout);
  forEachAccess(access, [&](ArrayRef<unsigned> registers) {
    uint64_t image = registerImage(access.offsets, registers[0], kOffset) * bytes;
    Value offset = offsetBy(thread, bits, image);
    if (slot)
      offset = arith::AddIOp::create(b, loc, offset, slot);
    SharedStoreOp::create(b, loc, buffer, offset, pick(vector, wordsOf(registers, perWord)), first,
                          ahead);
  });
}

Lowering::Buffered Lowering::stageFor(Value operand, const LinearLayout &reader) {
  auto type = cast<RankedTensorType>(operand.getType());
  Buffered tile{{}, {}, {}, 0, elementType(type)};
  unsigned bytes = getScalarBytes(tile.element);
  LinearLayout home = canonicalize(layoutOf(operand), laneBits(), warpBits());
  Value vector = get(operand, home);
  // Along which dimension a thread, or else its lane, has neighbours.
  auto neighbours = [](const LinearLayout &layout) {
    StringRef in = layout.inBits(kRegister) ? kRegister : kLane;
    return layout.getBasis(in, 0, dimName(0)) == 1 ? 0u : 1u;
  };
  std::optional<SharedAccess> access;
  if (type.getRank() == 2 && bytes <= 4 && options.target->hasLoadMatrix) {
    tile.inner = neighbours(home);
    bool suits = bytes == 2 || reader.getBasis(kLane, 0, dimName(tile.inner)) != 0;
    if (suits && type.getDimSize(tile.inner) * bytes >= 16) {
      tile.memory = swizzledTile(type.getShape(), tile.inner, bytes);
      access = accessShared(home, tile.memory, bytes, options.target->sharedModel);
    }
  }
  if (!access) {
    SharedChoice choice = chooseSharedLayout(home, reader, bytes, options.target->sharedModel);
    tile.memory = std::move(choice.memory);
    access = std::move(choice.write);
  }
  tile.buffer = SharedAllocOp::create(b, loc, int64_t(type.getNumElements() * bytes));
  storeShared(vector, home, *access, tile.buffer);
  return tile;
}

Value Lowering::readBuffered(const Buffered &source, const LinearLayout &wanted,
                             ArrayRef<uint64_t> origin) {
  unsigned bytes = getScalarBytes(source.element);
  unsigned count = 1u << wanted.inBits(kRegister);
  LinearLayout toOffset = *source.memory.invert();
  SmallVector<std::string, 2> names{dimName(0), dimName(1)};
  auto offsetOf = [&](uint64_t x, uint64_t y) {
    SmallVector<uint64_t, 2> coordinates;
    for (const Dim &in : toOffset.getIns())
      coordinates.push_back(in.name == names[0] ? x : y);
    return toOffset.apply(coordinates)[0] * bytes;
  };
  auto basisOffset = [&](StringRef in, unsigned bit) {
    return offsetOf(wanted.getBasis(in, bit, names[0]), wanted.getBasis(in, bit, names[1]));
  };
  uint64_t originOffset = origin.empty() ? 0 : offsetOf(origin[0], origin[1]);
  auto registerOffset = [&](uint64_t reg) {
    uint64_t offset = originOffset;
    for (unsigned bit = 0; bit < wanted.inBits(kRegister); ++bit)
      if ((reg >> bit) & 1)
        offset ^= basisOffset(kRegister, bit);
    return offset;
  };
  auto place = [&](ArrayRef<uint64_t> bases, uint64_t constantPart) {
    uint64_t bits = 0;
    for (uint64_t basis : bases)
      bits |= basis;
    Value offset = offsetBy(applyToThread(bases), bits, constantPart);
    if (!source.slot)
      return offset;
    return Value(arith::AddIOp::create(b, loc, offset, source.slot));
  };

  // The pattern of ldmatrix: a lane holds a 32-bit word of neighbours along dimension `along`, four
  // lanes a row of 16 bytes, eight such rows. Elements of 16 bits may also lie the other way.
  unsigned wordBits = bytes <= 4 ? llvm::Log2_32(4 / bytes) : 0;
  auto matches = [&](unsigned along) {
    bool turned = source.inner != along;
    if (bytes > 4 || (turned && bytes != 2) || !options.target->hasLoadMatrix || laneBits() != 5 ||
        wanted.inBits(kRegister) < wordBits)
      return false;
    auto is = [&](StringRef in, unsigned bit, unsigned dim, uint64_t value) {
      return wanted.getBasis(in, bit, names[dim]) == value &&
             wanted.getBasis(in, bit, names[1 - dim]) == 0;
    };
    for (unsigned bit = 0; bit < wordBits; ++bit)
      if (!is(kRegister, bit, along, uint64_t(1) << bit))
        return false;
    for (unsigned bit = 0; bit < 2; ++bit)
      if (!is(kLane, bit, along, uint64_t(1) << (wordBits + bit)))
        return false;
    for (unsigned bit = 0; bit < 3; ++bit)
      if (!is(kLane, 2 + bit, 1 - along, uint64_t(1) << bit))
        return false;
    for (unsigned dim = 0; dim < 2; ++dim) {
      uint64_t size = dim == along ? 16 / bytes : 8; // of a matrix
      for (unsigned bit = wordBits; bit < wanted.inBits(kRegister); ++bit)
        if (wanted.getBasis(kRegister, bit, names[dim]) % size)
          return false;
      for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
        if (wanted.getBasis(kWarp, bit, names[dim]) % size)
          return false;
    }
    // A row must be 16 neighbouring bytes.
    unsigned rowBits = llvm::Log2_32(16 / bytes);
    if (source.memory.outBits(names[source.inner]) < rowBits)
      return false;
    for (unsigned bit = 0; bit < rowBits; ++bit)
      if (source.memory.getBasis(kOffset, bit, names[source.inner]) != uint64_t(1) << bit)
        return false;
    return true;
  };
  Values result(count);
  for (unsigned along = 0; along < 2; ++along) {
    if (!matches(along))
      continue;
    bool transposed = source.inner != along;
    unsigned matrixBits = std::min(2u, wanted.inBits(kRegister) - wordBits);
    llvm::SmallVector<uint64_t, 16> bases;
    for (unsigned bit = 0; bit < 3; ++bit) { // rows of a matrix
      uint64_t step = uint64_t(1) << bit;
      unsigned dim = transposed ? along : 1 - along;
      bases.push_back(dim == 0 ? offsetOf(step, 0) : offsetOf(0, step));
    }
    for (unsigned bit = 0; bit < 2; ++bit) // which matrix
      bases.push_back(bit < matrixBits ? basisOffset(kRegister, wordBits + bit) : 0);
    for (unsigned bit = 0; bit < wanted.inBits(kWarp); ++bit)
      bases.push_back(basisOffset(kWarp, bit));
    unsigned width = 1u << (wordBits + matrixBits);
    auto type = VectorType::get({width}, source.element);
    for (unsigned reg = 0; reg < count; reg += width) {
      Values elements = unpack(LoadMatrixOp::create(b, loc, type, source.buffer,
                                                    place(bases, registerOffset(reg)),
                                                    1 << matrixBits, transposed));
      for (auto [i, element] : llvm::enumerate(elements))
        result[reg + i] = element;
    }
    return pack(result);
  }

  // Any other layout: plain loads, as wide as the two layouts allow.
  std::optional<SharedAccess> access =
      accessShared(wanted, source.memory, bytes, options.target->sharedModel);
  if (!access) {
    hasFailed = true;
    emitError(loc, "internal error: a buffer does not hold what is read from it");
    return poison(VectorType::get({count}, source.element));
  }
  llvm::SmallVector<uint64_t, 16> bases;
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < wanted.inBits(in); ++bit)
      bases.push_back(basisOffset(in, bit));
  std::map<uint64_t, Value> byOffset;
  forEachAccess(*access, [&](ArrayRef<unsigned> registers) {
    auto type = VectorType::get({int64_t(registers.size())}, source.element);
    Values elements = unpack(SharedLoadOp::create(b, loc, type, source.buffer,
                                                  place(bases, registerOffset(registers[0]))));
    for (auto [reg, element] : llvm::zip(registers, elements))
      byOffset[registerOffset(reg)] = result[reg] = element;
  });
  for (unsigned reg = 0; reg < count; ++reg)
    if (!result[reg])
      result[reg] = byOffset[registerOffset(reg)];
  return pack(result);
}
