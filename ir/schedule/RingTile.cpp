// See RingTile.h.
#include "ir/schedule/RingTile.h"

#include "ir/distribute/AccessGroups.h"
#include "ir/layout/Conversion.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using target::MatrixElement;

static unsigned elementBytesOf(Value value) {
  return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

LinearLayout schedule::memoryOf(RankedTensorType type, RingAttr ring) {
  unsigned inner = ring.getInner();
  if (ring.getOrder() == TileOrder::Swizzled)
    return swizzledTile(type.getShape(), inner, tile::getElementBytes(type.getElementType()));
  if (ring.getOrder() == TileOrder::Crossed)
    return crossedTile(type.getShape(), inner, tile::getElementBytes(type.getElementType()));
  if (ring.getOrder() == TileOrder::Turned)
    return turnedTile(type.getShape(), inner, tile::getElementBytes(type.getElementType()));
  auto bits = shapeBits(type.getShape());
  return LinearLayout::identity1D(bits[inner], kOffset, dimName(inner)) *
         LinearLayout::identity1D(bits[1 - inner], kOffset, dimName(1 - inner));
}

int64_t schedule::slotBytesOf(RankedTensorType type, RingAttr ring) {
  if (ring.getOrder() == TileOrder::Padded)
    return ring.getPitch() * type.getDimSize(1 - ring.getInner());
  return type.getNumElements() * tile::getElementBytes(type.getElementType());
}

int64_t schedule::alignedBytes(int64_t bytes, const target::TargetInfo &target) {
  constexpr int64_t kLeast = 16;
  return llvm::alignTo(bytes, alignsTiles(target) ? kMatrixTileAlignment : kLeast);
}

int64_t schedule::sharedBytesOf(RingType ring) {
  return ring.getSlots() * slotBytesOf(ring.getTile(), ring.getForm());
}

int64_t schedule::sharedBytesOf(ChannelType channel) {
  return channel.isBetweenRoles() ? channel.getSlots() * 2 * kPhaseBytes : 0;
}

RingAttr schedule::swizzledForm(MLIRContext *context, unsigned inner) {
  return RingAttr::get(context, TileOrder::Swizzled, inner, /*pitch=*/0, /*perWord=*/1);
}

RingAttr schedule::crossedForm(MLIRContext *context, unsigned inner) {
  return RingAttr::get(context, TileOrder::Crossed, inner, /*pitch=*/0, /*perWord=*/1);
}

RingAttr schedule::turnedForm(MLIRContext *context, unsigned inner) {
  return RingAttr::get(context, TileOrder::Turned, inner, /*pitch=*/0, /*perWord=*/1);
}

RingAttr schedule::paddedForm(RankedTensorType type, unsigned inner) {
  int64_t line = type.getDimSize(inner) * tile::getElementBytes(type.getElementType());
  return RingAttr::get(type.getContext(), TileOrder::Padded, inner, line + kPaddingBytes,
                       /*perWord=*/1);
}

std::string schedule::findBoxFault(RankedTensorType tile, unsigned inner) {
  const unsigned bytes = tile::getElementBytes(tile.getElementType());
  const MatrixTile lines{{tile.getDimSize(0), tile.getDimSize(1)}, inner, bytes};
  const int64_t slot = tile.getNumElements() * bytes;
  if (tile.getDimSize(inner) * bytes < MatrixTile::kChunkBytes)
    return "its lines have less than 16 bytes";
  if (slot % lines.alignment()) // Chunks are permuted by their addresses.
    return "slots of " + std::to_string(slot) + " bytes do not begin at multiples of " +
           std::to_string(lines.alignment()) + ", as boxes with such lines must";
  return "";
}

bool schedule::canStorePadded(const LinearLayout &writer) {
  uint64_t used = 0;
  for (const Dim &in : writer.getIns())
    for (uint64_t basis : writer.getBases(in.name)) {
      if (used & basis)
        return false;
      used |= basis;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Type schedule::opaqueElement(MatrixElement element, MLIRContext *context) {
  switch (element) {
  case MatrixElement::F16:
    return Float16Type::get(context);
  case MatrixElement::BF16:
    return BFloat16Type::get(context);
  case MatrixElement::F32:
    return Float32Type::get(context);
  case MatrixElement::F64:
    return Float64Type::get(context);
  case MatrixElement::I8:
    return IntegerType::get(context, 8);
  case MatrixElement::I32:
    return IntegerType::get(context, 32);
  case MatrixElement::TF32:
  case MatrixElement::E4M3:
  case MatrixElement::E5M2:
  case MatrixElement::E4B8:
  case MatrixElement::E5B16:
  case MatrixElement::E2M1:
    return {};
  }
  return {};
}

bool schedule::isOpaque(tile::DotOp dot, const LayoutAssignment &layouts) {
  const DotPlan &plan = layouts.getDot(dot);
  return plan.instruction && plan.instruction->isOpaque;
}

bool schedule::readsPadded(tile::DotOp dot, unsigned operand, const LayoutAssignment &layouts) {
  if (!isOpaque(dot, layouts))
    return false;
  const target::MatrixInstruction &row = *layouts.getDot(dot).instruction;
  return getElementTypeOrSelf(dot->getOperand(operand).getType()) ==
         opaqueElement(operand == 0 ? row.a : row.b, dot.getContext());
}

bool schedule::isInFragments(Value operand, const LinearLayout &wanted,
                             const LayoutAssignment &layouts) {
  const LinearLayout *home = layouts.getHome(operand);
  ConversionOptions conversion;
  conversion.elementBytes = elementBytesOf(operand);
  llvm::Expected<ConversionPlan> plan =
      planConversion(home ? *home : layouts.getDefault(cast<RankedTensorType>(operand.getType())),
                     wanted, conversion);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return false;
  }
  return plan->kind == ConversionKind::None || plan->kind == ConversionKind::Registers;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int64_t schedule::accessBytes(Operation *op, Type element, const LayoutAssignment &layouts,
                              unsigned maxBytes) {
  unsigned bytes = tile::getElementBytes(element);
  return int64_t(groupRegisters(layouts.getAccess(op), bytes, maxBytes).front().size()) * bytes;
}

bool schedule::fillsNeighbours(Operation *op, RankedTensorType tile, RingAttr ring,
                               const LayoutAssignment &layouts) {
  const AccessPlan &plan = layouts.getAccess(op);
  const LinearLayout places = plan.layout.compose(*memoryOf(tile, ring).invert());
  auto offsetOf = [&](unsigned number) {
    uint64_t offset = 0;
    for (auto [bit, basis] : llvm::enumerate(places.getBases(kRegister)))
      offset ^= number >> bit & 1 ? basis : 0;
    return offset;
  };
  for (ArrayRef<unsigned> group :
       groupRegisters(plan, tile::getElementBytes(tile.getElementType()), kMostCopyBytes)) {
    auto isMultiple = [&](uint64_t offset) { return offset % group.size() == 0; };
    // Whichever thread makes it.
    for (StringRef threads : {StringRef(kLane), StringRef(kWarp)})
      if (places.hasIn(threads) && !llvm::all_of(places.getBases(threads), isMultiple))
        return false;
    const uint64_t first = offsetOf(group.front());
    for (auto [i, number] : llvm::enumerate(group))
      if (!isMultiple(first) || offsetOf(number) != first + i)
        return false;
  }
  return true;
}

bool schedule::followsLanes(Operation *op, RankedTensorType tile, RingAttr ring,
                            const LayoutAssignment &layouts) {
  const uint64_t bytes = tile::getElementBytes(tile.getElementType());
  const uint64_t copied = accessBytes(op, tile.getElementType(), layouts, kMostCopyBytes);
  const LinearLayout places = layouts.getAccess(op).layout.compose(*memoryOf(tile, ring).invert());
  if ((copied != 4 && copied != 16) || !places.hasIn(kRegister))
    return false;
  for (unsigned bit = 0; bytes << bit < copied; ++bit)
    if (places.inBits(kRegister) <= bit || places.getBasis(kRegister, bit, kOffset) != uint64_t(1)
                                                                                           << bit)
      return false;
  for (unsigned bit = 0; bit < places.inBits(kLane); ++bit)
    if (places.getBasis(kLane, bit, kOffset) * bytes != copied << bit)
      return false;
  return true;
}

unsigned schedule::elementsPerWord(tile::LoadOp load, RingAttr ring,
                                   const LayoutAssignment &layouts) {
  const target::TargetInfo &target = layouts.target();
  const AccessPlan &plan = layouts.getAccess(load);
  unsigned bytes = elementBytesOf(load.getResult()), perWord = bytes < 4 ? 4 / bytes : 1;
  auto type = cast<RankedTensorType>(load.getType());
  auto access = accessShared(plan.layout, memoryOf(type, ring), bytes, target.sharedModel);
  bool moveAsWords =
      access && llvm::all_of(groupRegisters(plan, bytes, target.maxVectorBytes),
                             [&](ArrayRef<unsigned> group) { return areWords(group, perWord); });
  if (moveAsWords && ring.getOrder() != TileOrder::Crossed)
    forEachAccess(*access, [&](ArrayRef<unsigned> registers) {
      moveAsWords &= areWords(registers, perWord);
    });
  return moveAsWords ? perWord : 1;
}
