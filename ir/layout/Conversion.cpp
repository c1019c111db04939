// Conversion plans. The source map is computed first (least distance to the destination's own
// position), and its shape decides the mechanism.
#include "ir/layout/Conversion.h"
#include "ir/layout/Shuffle.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tilerun::layout;
using llvm::StringRef;
using llvm::Twine;

StringRef tilerun::layout::toString(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::None:
    return "none";
  case ConversionKind::Registers:
    return "registers";
  case ConversionKind::Shuffles:
    return "shuffles";
  case ConversionKind::SharedMemory:
    return "shared memory";
  case ConversionKind::CrossBlock:
    return "cross-block";
  }
  return "";
}

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static constexpr unsigned kMaxTensorBits = 48;
static const StringRef kThreadDims[] = {kLane, kWarp, kBlock};

static llvm::Error check(const LinearLayout &source, const LinearLayout &destination,
                         const ConversionOptions &options) {
  for (const LinearLayout *layout : {&source, &destination})
    for (const Dim &in : layout->getIns())
      if (in.name != kRegister && !llvm::is_contained(kThreadDims, in.name))
        return makeError("cannot convert a layout over '" + in.name + "'");
  if (source.getOuts().size() != destination.getOuts().size())
    return makeError("source and destination have different ranks");
  for (const Dim &out : source.getOuts())
    if (!destination.hasOut(out.name) || destination.outBits(out.name) != out.bits)
      return makeError("source and destination differ in output dimension '" + out.name + "'");
  if (!std::has_single_bit(options.elementBytes) ||
      options.elementBytes > options.sharedMemory.maxVectorBytes)
    return makeError("elements of " + Twine(options.elementBytes) + " bytes cannot be converted");
  // So that sizes in bytes fit a uint64_t with room to spare.
  if (source.totalOutBits() > kMaxTensorBits)
    return makeError("a tensor of 2^" + Twine(source.totalOutBits()) +
                     " elements cannot be converted, the limit is 2^" + Twine(kMaxTensorBits));
  uint64_t bits = std::max(source.inBits(kRegister), destination.inBits(kRegister));
  for (StringRef name : kThreadDims)
    bits += std::max(source.inBits(name), destination.inBits(name));
  if (bits > kMaxBits)
    return makeError("the layouts together have " + Twine(bits) + " input bits, the limit is 64");
  return llvm::Error::success();
}

/// The same layout with the inputs register, lane, warp, block and the sizes that both sides share.
static LinearLayout normalize(const LinearLayout &layout, const LinearLayout &other) {
  LinearLayout result = layout;
  if (!result.hasIn(kRegister))
    result = result.resizeIn(kRegister, 0);
  for (StringRef name : kThreadDims)
    result = result.resizeIn(name, std::max(layout.inBits(name), other.inBits(name)));
  return result.transposeIns({kRegister, kLane, kWarp, kBlock});
}

/// From each destination position to the nearest source position; nullopt if an element is missing.
static std::optional<LinearLayout> findSources(const LinearLayout &source,
                                               const LinearLayout &destination) {
  std::optional<LinearLayout> least = destination.invertAndCompose(source);
  if (!least)
    return std::nullopt;
  // Any other choice differs by the kernel. The coset's least distance has its high bits (block,
  // then warp, ...) zero whenever some choice has.
  Subspace kernel = source.kernel();
  unsigned ownRegisters = destination.inBits(kRegister), registers = source.inBits(kRegister);
  BitVectors bases;
  for (auto [bit, basis] : llvm::enumerate(least->getBases())) {
    uint64_t own = 0;
    if (bit >= ownRegisters)
      own = uint64_t(1) << (bit - ownRegisters + registers);
    else if (bit < registers)
      own = uint64_t(1) << bit;
    bases.push_back(own ^ kernel.reduce(own ^ basis));
  }
  return LinearLayout(DimList(destination.getIns()), DimList(source.getIns()), bases);
}

/// The bits of `in` that take their values from another `out` than their own.
static bool moves(const LinearLayout &sources, StringRef out) {
  for (const Dim &in : sources.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t own = in.name == out ? uint64_t(1) << bit : 0;
      if (sources.getBasis(in.name, bit, out) != own)
        return true;
    }
  return false;
}

/// Whether the register that a value comes from is the same in all threads.
static bool picksRegistersStatically(const LinearLayout &sources) {
  for (StringRef in : kThreadDims)
    for (unsigned bit = 0; bit < sources.inBits(in); ++bit)
      if (sources.getBasis(in, bit, kRegister))
        return false;
  return true;
}

static SharedPlan planShared(const LinearLayout &source, const LinearLayout &sources,
                             const ConversionOptions &options) {
  // Each block has its own memory, which holds what the block's threads hold: block bits of the
  // source only say which part of the tensor that is.
  LinearLayout writer = source.restrictIns({kRegister, kLane, kWarp});
  LinearLayout wanted = sources.projectOuts({kRegister, kLane, kWarp}).compose(writer);
  SharedPlan plan;
  plan.choice = chooseSharedLayout(writer, wanted.restrictIns({kRegister, kLane, kWarp}),
                                   options.elementBytes, options.sharedMemory);
  std::optional<LinearLayout> loadOffsets = wanted.invertAndCompose(plan.choice.memory);
  assert(loadOffsets && "the memory holds everything that the block wrote");
  plan.loadOffsets = std::move(*loadOffsets);
  plan.bytes = plan.choice.bytes(options.elementBytes);
  plan.barrier = moves(sources, kWarp) ? Barrier::Block : Barrier::Warp;
  return plan;
}

llvm::Expected<ConversionPlan> tilerun::layout::planConversion(const LinearLayout &source,
                                                               const LinearLayout &destination,
                                                               const ConversionOptions &options) {
  if (llvm::Error error = check(source, destination, options))
    return error;
  llvm::SmallVector<StringRef, 4> names;
  for (const Dim &out : source.getOuts())
    names.push_back(out.name);
  LinearLayout from = normalize(source, destination);
  LinearLayout to = normalize(destination, source).transposeOuts(names);
  std::optional<LinearLayout> sources = findSources(from, to);
  if (!sources)
    return makeError("the destination needs elements that the source does not hold");

  ConversionPlan plan;
  plan.source = *sources;
  if (moves(*sources, kBlock)) {
    plan.kind = ConversionKind::CrossBlock;
    return plan;
  }
  if (!moves(*sources, kWarp)) {
    if (!moves(*sources, kLane) && picksRegistersStatically(*sources)) {
      bool same = from.inBits(kRegister) == to.inBits(kRegister) && !moves(*sources, kRegister);
      plan.kind = same ? ConversionKind::None : ConversionKind::Registers;
      return plan;
    }
    plan.shuffle = planShuffles(*sources, options.elementBytes, options.maxShuffles);
    if (plan.shuffle) {
      plan.kind = ConversionKind::Shuffles;
      return plan;
    }
  }
  plan.kind = ConversionKind::SharedMemory;
  plan.shared = planShared(from, *sources, options);
  return plan;
}
