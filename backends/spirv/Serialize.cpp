// See Serialize.h.
#include "backends/spirv/Serialize.h"

#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

/// Widths of the floats that a kernel computes with.
static std::array<bool, 3> findFloatWidths(spirv::FuncOp function) {
  std::array<bool, 3> found = {};
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type))
        element = matrix.getElementType();
      if (isa<Float16Type, Float32Type, Float64Type>(element))
        found[llvm::Log2_32(element.getIntOrFloatBitWidth()) - 4] = true;
    }
  });
  return found;
}

/// Floats as the language defines them, as far as the device lets a kernel ask for that. Modes of
/// several widths must be the same on devices that do not say otherwise.
static void addFloatControls(OpBuilder &b, KernelContext &kernel) {
  const Target &target = kernel.target;
  std::array<bool, 3> isUsed = findFloatWidths(kernel.function);
  auto add = [&](spirv::ExecutionMode mode, std::array<bool, 3> isOffered, bool isIndependent) {
    bool all = true;
    for (int i = 0; i < 3; ++i)
      all &= !isUsed[i] || isOffered[i];
    for (int i = 0; i < 3; ++i)
      if (isUsed[i] && isOffered[i] && (isIndependent || all))
        spirv::ExecutionModeOp::create(b, kernel.function.getLoc(), kernel.function, mode,
                                       ArrayRef<int32_t>{16 << i});
  };
  add(spirv::ExecutionMode::SignedZeroInfNanPreserve,
      {target.preservesFloat16, target.preservesFloat32, target.preservesFloat64}, true);
  add(spirv::ExecutionMode::DenormPreserve,
      {target.keepsDenormFloat16, target.keepsDenormFloat32, target.keepsDenormFloat64},
      target.hasIndependentDenorms);
  // A driver that does it anyway may divide by a slower sequence once it is asked to. Elsewhere the
  // mode helps: NVIDIA's driver keeps subnormal sums and products with it.
  auto parent = kernel.module->getParentOfType<ModuleOp>();
  if (target.roundsToEvenAnyway && parent && parent->hasAttr(kFastQuotients) &&
      (target.hasIndependentRounding || isUsed[1])) {
    isUsed[1] = false;
    if (!target.hasIndependentRounding)
      isUsed[0] = isUsed[2] = false;
  }
  add(spirv::ExecutionMode::RoundingModeRTE,
      {target.roundsFloat16ToEven, target.roundsFloat32ToEven, target.roundsFloat64ToEven},
      target.hasIndependentRounding);
}

/// Under Vulkan's memory model, accesses that fences order have to say that they are not private.
static void markShared(KernelContext &kernel) {
  auto isShared = [](Value pointer) {
    spirv::StorageClass storage = cast<spirv::PointerType>(pointer.getType()).getStorageClass();
    return storage == spirv::StorageClass::PhysicalStorageBuffer ||
           storage == spirv::StorageClass::Workgroup;
  };
  auto mark = [&](auto op) {
    if (!isShared(op.getPtr()))
      return;
    auto access = op.getMemoryAccess().value_or(spirv::MemoryAccess::None);
    op.setMemoryAccessAttr(spirv::MemoryAccessAttr::get(
        op.getContext(), access | spirv::MemoryAccess::NonPrivatePointer));
  };
  kernel.function.walk([&](spirv::LoadOp op) { mark(op); });
  kernel.function.walk([&](spirv::StoreOp op) { mark(op); });
}

void spirvbackend::finishModule(KernelContext &kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(kernel.module.getBody());
  Location loc = kernel.function.getLoc();
  SmallVector<Attribute> interface;
  for (auto global : kernel.module.getOps<spirv::GlobalVariableOp>())
    interface.push_back(FlatSymbolRefAttr::get(global));
  spirv::EntryPointOp::create(b, loc, spirv::ExecutionModel::GLCompute, kernel.function, interface);
  spirv::ExecutionModeOp::create(b, loc, kernel.function, spirv::ExecutionMode::LocalSize,
                                 ArrayRef<int32_t>{int32_t(kernel.numThreads), 1, 1});
  addFloatControls(b, kernel);
  if (kernel.target.hasMemoryModel)
    markShared(kernel);
}

/// The place in a source file that a location is about, the innermost of inlined ones.
static FileLineColLoc findPlace(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto named = dyn_cast<NameLoc>(location))
    return findPlace(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = findPlace(part))
        return place;
  return {};
}

/// The serializer knows one file: lines of others are left out.
static void reduceLocations(spirv::ModuleOp module, spirv::FuncOp function) {
  FileLineColLoc own = findPlace(function.getLoc());
  Location unknown = UnknownLoc::get(module.getContext());
  if (own)
    module->setLoc(own);
  module.walk([&](Operation *op) {
    FileLineColLoc place = findPlace(op->getLoc());
    bool isOwn = own && place && place.getFilename() == own.getFilename();
    op->setLoc(isOwn ? Location(place) : unknown);
  });
}

FailureOr<SmallVector<uint32_t, 0>> spirvbackend::serializeModule(spirv::ModuleOp module,
                                                                  bool lineInfo) {
  for (auto function : module.getOps<spirv::FuncOp>())
    if (!function.isExternal())
      reduceLocations(module, function);
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  options.emitDebugInfo = lineInfo && isa<FileLineColLoc>(module.getLoc());
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(module, words, options)))
    return failure();
  return words;
}
