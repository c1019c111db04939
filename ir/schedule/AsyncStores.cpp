// See AsyncStores.h.
#include "ir/schedule/AsyncStores.h"

#include "ir/layout/MatrixTile.h"
#include "ir/layout/SharedMemory.h"
#include "ir/schedule/Boxes.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/Persistence.h"
#include "ir/schedule/RingTile.h"
#include "ir/schedule/RoleRules.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/SharedDemand.h"
#include "ir/tile/Remarks.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

int64_t schedule::getStoreBufferBytes(func::FuncOp kernel, const target::TargetInfo &target) {
  int64_t bytes = 0;
  kernel.walk([&](StoreBufferOp op) {
    bytes += alignedBytes(op.getBuffer().getType().getBytes(), target);
  });
  return bytes;
}

namespace {
class StoreChooser {
public:
  StoreChooser(func::FuncOp kernel, const LayoutAssignment &layouts, scf::ForOp loop)
      : kernel(kernel), layouts(layouts), loop(loop), finder(loop) {}
  void run();

private:
  std::optional<Box> findBox(tile::StoreOp store, Refusal &refusal);
  bool fits(tile::StoreOp store, Refusal &refusal) const;
  void replace(tile::StoreOp store, const Box &box);

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
  scf::ForOp loop;
  BoxFinder finder;
};
} // namespace

/// Something else than `store` that the argument's address goes to, but for what computes addresses
/// of elements; null if nothing does.
static Operation *findOther(BlockArgument argument, tile::StoreOp store) {
  llvm::SetVector<Operation *> slice;
  getForwardSlice(argument, &slice);
  auto *other = llvm::find_if(slice, [&](Operation *op) {
    return op != store && !isa<tile::SplatOp, tile::AddPtrOp, tile::BroadcastOp, tile::ExpandDimsOp,
                               tile::TransOp, tile::ReshapeOp>(op);
  });
  return other == slice.end() ? nullptr : *other;
}

static unsigned getInner(tile::StoreOp store) {
  auto access = cast<AccessAttr>(store->getAttr(DistributeDialect::kAccessAttr));
  return unsigned(access.getOrder()[0]);
}

static unsigned countBoxes(func::FuncOp kernel) {
  unsigned count = 0;
  kernel.walk(
      [&](Operation *op) { count += isa<StoreBoxOp>(op) || op->hasAttr(SchedDialect::kBox); });
  return count;
}

std::optional<Box> StoreChooser::findBox(tile::StoreOp store, Refusal &refusal) {
  auto refuse = [&](Operation *op, const Twine &why) {
    refusal = {op, why.str()};
    return std::nullopt;
  };
  auto type = cast<RankedTensorType>(store.getValue().getType());
  if (store->getParentOp() != kernel)
    return refuse(store, "it is inside of another op");
  if (store.getCache() != tile::CacheModifier::None ||
      store.getEvict() != tile::EvictionPolicy::Normal)
    return refuse(store, "it says how caches are to treat it");
  if (countBoxes(kernel) == kMaxBoxes)
    return refuse(store, "the kernel has as many boxes as a launch can describe");
  const unsigned inner = getInner(store), bytes = tile::getElementBytes(type.getElementType());
  std::optional<Box> box = finder.find(store, inner, refusal);
  if (!box)
    return std::nullopt;
  if (Operation *other = findOther(kernel.getArgument(box->tensor.getBase()), store))
    return refuse(other, "the argument's address goes to this '" + other->getName().getStringRef() +
                             "', too, and copies are not ordered against other accesses");
  const layout::LinearLayout *home = layouts.getHome(store.getValue());
  if (!home || !layout::accessShared(*home, layout::swizzledTile(type.getShape(), inner, bytes),
                                     bytes, layouts.target().sharedModel))
    return refuse(store, "threads cannot write what they hold in the order of a box");
  return box;
}

bool StoreChooser::fits(tile::StoreOp store, Refusal &refusal) const {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  const target::TargetInfo &target = layouts.target();
  const int64_t bytes =
      alignedBytes(type.getNumElements() * tile::getElementBytes(type.getElementType()), target);
  const int64_t used = ringBytesOf(loop, target) + SharedDemand(kernel, layouts).within(kernel);
  if (used + bytes <= target.budget().total())
    return true;
  refusal = {store, "its tile takes " + std::to_string(bytes) + " bytes, and of the " +
                        std::to_string(target.budget().total()) + " bytes of shared memory " +
                        std::to_string(used) + " are in use"};
  return false;
}

void StoreChooser::replace(tile::StoreOp store, const Box &box) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  auto start = ImplicitLocOpBuilder::atBlockBegin(store.getLoc(), &kernel.getBody().front());
  auto buffer = StoreBufferOp::create(
      start, StoreBufferType::get(kernel.getContext(), type, getInner(store)));
  ImplicitLocOpBuilder b(store.getLoc(), store);
  SmallVector<Value, 5> starts;
  for (const Polynomial &each : box.starts)
    starts.push_back(finder.emit(b, each, IRMapping(), Value()));
  StoreBoxOp::create(b, store.getValue(), store.getMask(), buffer, starts, box.tensor);
  store.erase();
}

void StoreChooser::run() {
  SmallVector<tile::StoreOp> stores;
  // Others have no tile whose order in memory is another one than that in registers.
  kernel.walk([&](tile::StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (type && type.getRank() == 2)
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores) {
    Refusal refusal;
    std::optional<Box> box = findBox(store, refusal);
    if (!box || !fits(store, refusal)) {
      emitRemark(refusal.op, RemarkName::StoreNotAsync,
                 "threads store a result" +
                     (refusal.op == store ? "" : describeLine(store.getLoc())) +
                     " themselves: " + refusal.why);
      continue;
    }
    emitRemark(store, RemarkName::StoreAsync,
               "the tile is copied from shared memory while the program goes on",
               /*isMissed=*/false);
    replace(store, *box);
  }
}

/// A loop whose schedule keeps the kernel's results from being copied.
static scf::ForOp findObstacle(func::FuncOp kernel, std::string &why) {
  scf::ForOp found;
  kernel.walk([&](scf::ForOp loop) {
    if (!getPipeline(loop))
      return WalkResult::advance();
    if (hasLateProducts(loop))
      why = "its late products and the copies have not been tried together";
    else if (!hasRoles(loop))
      why = "its slots and the copies would share what memory is left";
    else
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

void schedule::chooseAsyncStores(func::FuncOp kernel, const LayoutAssignment &layouts,
                                 Choice choice) {
  scf::ForOp loop = findRoleLoop(kernel);
  if (choice == Choice::Off || !loop || !isPersistent(kernel))
    return;
  std::string why;
  if (scf::ForOp obstacle = findObstacle(kernel, why))
    return emitRemark(obstacle, RemarkName::StoreNotAsync,
                      "threads store the kernel's results themselves: " + why);
  StoreChooser(kernel, layouts, loop).run();
}
