// See Arena.h. Live ranges are intervals over ops in program order, widened to whole loops where a
// buffer outlives an iteration. Placement is first fit: in order of first use, which keeps apart
// what follows each other; and where that leaves gaps that do not fit, outer ranges before inner
// ones.
#include "ir/simt/sync/Arena.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {
struct Buffer {
  SharedAllocOp op;
  uint64_t first = 0, last = 0;
  /// The only role that uses it, or null; and from the first role beside that one to the last.
  Operation *role = nullptr;
  uint64_t firstRole = 0, lastRole = 0;
  int64_t offset = 0, end = 0;
  bool isOwn = false;  ///< Shares its bytes with none.
  uint64_t number = 0; ///< Of its op, in program order.
};

constexpr int64_t kMaxOwnBytes = 1024, kMaxAllOwnBytes = 4096;
} // namespace

namespace {
/// When, in program order, ops begin and end, and from where on no asynchronous access is in
/// flight.
class Timeline {
public:
  explicit Timeline(func::FuncOp kernel) { number(kernel); }
  uint64_t startOf(Operation *op) const { return spans.lookup(op).first; }
  uint64_t endOf(Operation *op) const { return spans.lookup(op).second; }
  /// The op in `block` after which the accesses that `user` starts have completed.
  Operation *completionOf(Operation *user, AsyncQueue queue, Block *block) const {
    for (Operation *wait : waits[unsigned(queue)])
      if (startOf(wait) > endOf(user))
        if (Operation *ancestor = block->findAncestorOpInBlock(*wait))
          return ancestor;
    return block->getTerminator();
  }

private:
  void number(Operation *op) {
    uint64_t start = counter++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    spans[op] = {start, counter++};
    if (auto user = dyn_cast<SharedUser>(op))
      if (auto wait = user.getSharedUse().waits; wait && wait->pending == 0)
        waits[unsigned(wait->queue)].push_back(op);
  }

  llvm::DenseMap<Operation *, std::pair<uint64_t, uint64_t>> spans;
  SmallVector<Operation *> waits[kNumAsyncQueues]; ///< For all of a queue, in program order.
  uint64_t counter = 0;
};
} // namespace

static bool isRole(Operation *op) {
  auto user = dyn_cast<SharedUser>(op);
  return user && user.getSharedUse().roleWarps;
}

static Operation *roleOf(Operation *op) {
  while (op && !isRole(op))
    op = op->getParentOp();
  return op;
}

/// Roles of a block run beside each other: what several of them use lives as long as all of them,
/// and so does, for others, what one of them uses.
static void widenToRoles(Buffer &buffer, SharedAllocOp op, const Timeline &timeline) {
  buffer.firstRole = buffer.first;
  buffer.lastRole = buffer.last;
  llvm::SetVector<Operation *> roles;
  for (Operation *user : op->getUsers()) {
    Operation *role = roleOf(user);
    roles.insert(role);
    if (!role)
      continue;
    for (Operation &other : *role->getBlock())
      if (isRole(&other)) {
        buffer.firstRole = std::min(buffer.firstRole, timeline.startOf(&other));
        buffer.lastRole = std::max(buffer.lastRole, timeline.endOf(&other));
      }
  }
  if (roles.size() == 1 && roles.front() && roleOf(op) == roles.front()) {
    buffer.role = roles.front();
    return;
  }
  buffer.first = buffer.firstRole;
  buffer.last = buffer.lastRole;
}

static bool meet(const Buffer &x, const Buffer &y) {
  if (x.role && x.role == y.role)
    return x.last >= y.first && y.last >= x.first;
  return x.lastRole >= y.firstRole && y.lastRole >= x.firstRole;
}

/// The live range of a buffer; nullopt if it is unused.
static std::optional<Buffer> getLiveRange(SharedAllocOp op, const Timeline &timeline) {
  if (op.use_empty())
    return std::nullopt;
  Buffer buffer{op, ~uint64_t(0), 0};
  buffer.number = timeline.startOf(op);
  Block *block = op->getBlock();
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    buffer.first = std::min(buffer.first, timeline.startOf(ancestor));
    buffer.last = std::max(buffer.last, timeline.endOf(ancestor));
    auto sharedUser = dyn_cast<SharedUser>(user);
    if (!sharedUser)
      continue;
    for (const SharedUse::Access &access : sharedUser.getSharedUse().accesses)
      if (access.queue)
        buffer.last = std::max(buffer.last,
                               timeline.endOf(timeline.completionOf(user, *access.queue, block)));
  }
  widenToRoles(buffer, op, timeline);
  return buffer;
}

/// Gives each buffer its offset, in their order, and returns how many bytes that takes.
static int64_t place(MutableArrayRef<Buffer> buffers, bool allowOwn) {
  int64_t total = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    int64_t alignment = buffer.op.getAlignment(), offset = 0;
    if (allowOwn && buffer.isOwn) {
      offset = llvm::alignTo(total, alignment);
    } else {
      SmallVector<std::pair<int64_t, int64_t>> taken;
      for (size_t j = 0; j < i; ++j)
        if (meet(buffers[j], buffer))
          taken.push_back({buffers[j].offset, buffers[j].end});
      llvm::sort(taken);
      for (auto [start, end] : taken) {
        if (offset + int64_t(buffer.op.getBytes()) <= start)
          break;
        offset = std::max<int64_t>(offset, llvm::alignTo(end, alignment));
      }
    }
    buffer.offset = offset;
    buffer.end = offset + buffer.op.getBytes();
    total = std::max(total, buffer.end);
  }
  return total;
}

/// In order of first use. A buffer with bytes of its own needs no barrier between its last reads
/// and another buffer's writes: small buffers get their own while there are few, beyond all others.
static int64_t placeInOrder(SmallVectorImpl<Buffer> &buffers, bool allowOwn) {
  auto sortBy = [&](auto keyOf) {
    llvm::sort(buffers, [&](const Buffer &x, const Buffer &y) { return keyOf(x) < keyOf(y); });
  };
  sortBy([](const Buffer &buffer) { return std::pair(buffer.first, buffer.number); });
  int64_t ownBytes = 0;
  for (Buffer &buffer : buffers) {
    int64_t bytes = buffer.op.getBytes();
    buffer.isOwn = bytes <= kMaxOwnBytes && ownBytes + bytes <= kMaxAllOwnBytes;
    ownBytes += buffer.isOwn ? bytes : 0;
  }
  sortBy(
      [](const Buffer &buffer) { return std::tuple(buffer.isOwn, buffer.first, buffer.number); });
  return place(buffers, allowOwn);
}

/// Outer live ranges before inner ones. A range that overlaps a later one, and neither holds the
/// other, is extended to hold it: then all are nested or apart, so that each buffer lies right
/// above those that hold it, and the whole takes what is alive at one time.
static int64_t placeNested(SmallVectorImpl<Buffer> &buffers) {
  llvm::sort(buffers, [](const Buffer &x, const Buffer &y) {
    return std::tuple(x.first, ~x.last, x.number) < std::tuple(y.first, ~y.last, y.number);
  });
  for (auto [i, inner] : llvm::enumerate(buffers))
    for (Buffer &outer : MutableArrayRef<Buffer>(buffers).take_front(i))
      if (outer.role == inner.role && outer.last >= inner.first)
        outer.last = std::max(outer.last, inner.last);
  for (Buffer &buffer : buffers)
    buffer.lastRole = std::max(buffer.lastRole, buffer.last);
  // Those with the largest alignment first, where one live range is that of several.
  auto alignmentOf = [](SharedAllocOp op) { return op.getAlignment(); };
  llvm::sort(buffers, [&](const Buffer &x, const Buffer &y) {
    return std::tuple(x.first, ~x.last, alignmentOf(y.op), x.number) <
           std::tuple(y.first, ~y.last, alignmentOf(x.op), y.number);
  });
  return place(buffers, /*allowOwn=*/false);
}

SmallVector<LiveBuffer> simt::getLiveBuffers(func::FuncOp kernel) {
  const Timeline timeline(kernel);
  SmallVector<LiveBuffer> live;
  kernel.walk([&](SharedAllocOp op) {
    if (std::optional<Buffer> buffer = getLiveRange(op, timeline))
      live.push_back({op, buffer->first, buffer->last});
  });
  return live;
}

LogicalResult simt::placeShared(func::FuncOp kernel, const TargetInfo &target,
                                function_ref<std::string()> advise) {
  Timeline timeline(kernel);
  SmallVector<Buffer> buffers;
  kernel.walk([&](SharedAllocOp op) {
    if (std::optional<Buffer> buffer = getLiveRange(op, timeline))
      buffers.push_back(*buffer);
    else
      op.erase();
  });
  auto fits = [&](int64_t total) { return uint64_t(total) <= target.sharedMemoryBytes; };
  int64_t total = placeInOrder(buffers, /*allowOwn=*/true);
  if (!fits(total))
    total = placeInOrder(buffers, /*allowOwn=*/false);
  if (!fits(total))
    total = placeNested(buffers);
  if (!fits(total)) {
    // At the largest buffer, where smaller blocks help.
    auto largest = llvm::max_element(
        buffers, [](Buffer &x, Buffer &y) { return x.op.getBytes() < y.op.getBytes(); });
    return emitError(largest->op.getLoc())
           << "needs " << total << " bytes of shared memory, but " << target.name << " has "
           << target.sharedMemoryBytes << " for a program, which is "
           << total - int64_t(target.sharedMemoryBytes) << " too few; " << advise();
  }
  for (Buffer &buffer : buffers)
    buffer.op.setOffset(buffer.offset);
  kernel->setAttr(SimtDialect::kSharedBytesAttr,
                  IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), total));
  return success();
}
