// Tiles that are copied from shared to global memory as boxes (ir/schedule/AsyncStores.h). Barriers
// between the threads that write a tile and the one that copies it are inserted with all others.
#include "ir/layout/SharedMemory.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/HandlerList.h"
#include "ir/simt/SharedTiles.h"
#include "ir/simt/handlers/Slots.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;
using schedule::StoreBufferType;

LogicalResult simt::lower(LowerContext &c, schedule::StoreBufferOp op) {
  auto buffer = SharedAllocOp::create(c.b, op.getBuffer().getType().getBytes());
  buffer.setAlignment(schedule::kMatrixTileAlignment);
  c.set(op.getBuffer(), buffer);
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::StoreBoxOp op) {
  StoreBufferType type = op.getBuffer().getType();
  RankedTensorType tensor = type.getTile();
  const unsigned bytes = getScalarBytes(elementType(tensor));
  const LinearLayout home = c.canonicalize(c.layoutOf(op.getTile()));
  FailureOr<Value> vector = c.get(op.getTile(), home);
  FailureOr<Values> starts = getStarts(c, op.getStarts());
  if (failed(vector) || failed(starts))
    return failure();
  std::optional<SharedAccess> access = accessShared(
      home, swizzledTile(tensor.getShape(), type.getInner(), bytes), bytes, c.target.sharedModel);
  if (!access)
    return op.emitOpError("has a tile that threads cannot write in the order of a box");
  Value buffer = c.find(op.getBuffer());
  BoxStoreWaitOp::create(c.b, buffer);
  storeShared(c, *vector, home, *access, buffer);
  AsyncFenceOp::create(c.b);
  const MatrixTile tile{{tensor.getDimSize(0), tensor.getDimSize(1)}, type.getInner(), bytes};
  const BoxParts parts = divideBox(op.getTensor(), tile, int64_t(tile.lines()));
  Value isFirst = actsForOthers(c, /*forRole=*/true);
  for (const BoxParts::Place &part : parts.places)
    BoxStoreOp::create(c.b, buffer, constant(c.b, int32_t(part.offset)),
                       moveStarts(c, *starts, part), isFirst, parts.box);
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::StoreWaitOp op) {
  BoxStoreWaitOp::create(c.b, c.find(op.getBuffer()));
  return success();
}
