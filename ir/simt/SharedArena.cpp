// See SharedArena.h. Live ranges are intervals over ops in program order, widened to whole loops
// where a buffer outlives an iteration; placement is first fit in order of first use.
#include "ir/simt/SharedArena.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {
struct Buffer {
  SharedAllocOp op;
  uint64_t first = 0, last = 0;
  int64_t offset = 0, end = 0;
  bool isOwn = false; ///< Shares its bytes with none.
};

constexpr int64_t kMaxOwnBytes = 1024, kMaxAllOwnBytes = 4096;
} // namespace

LogicalResult simt::placeShared(func::FuncOp kernel, const TargetInfo &target, StringRef advice) {
  // Numbers of each op's start and end.
  llvm::DenseMap<Operation *, std::pair<uint64_t, uint64_t>> spans;
  uint64_t counter = 0;
  std::function<void(Operation *)> number = [&](Operation *op) {
    uint64_t start = counter++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    spans[op] = {start, counter++};
  };
  number(kernel);

  SmallVector<Buffer> buffers;
  kernel.walk([&](SharedAllocOp op) {
    Buffer buffer{op};
    buffer.first = ~uint64_t(0);
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      buffer.first = std::min(buffer.first, spans[ancestor].first);
      buffer.last = std::max(buffer.last, spans[ancestor].second);
    }
    if (buffer.last)
      buffers.push_back(buffer);
  });
  llvm::sort(buffers, [&](const Buffer &x, const Buffer &y) {
    return std::pair(x.first, spans[x.op].first) < std::pair(y.first, spans[y.op].first);
  });
  // What has bytes of its own needs no barrier between its last reads and another buffer's writes:
  // small buffers get their own while there are few, beyond all others.
  int64_t ownBytes = 0;
  for (Buffer &buffer : buffers) {
    int64_t bytes = buffer.op.getBytes();
    buffer.isOwn = bytes <= kMaxOwnBytes && ownBytes + bytes <= kMaxAllOwnBytes;
    ownBytes += buffer.isOwn ? bytes : 0;
  }
  SmallVector<Buffer> own;
  llvm::copy_if(buffers, std::back_inserter(own), [](const Buffer &b) { return b.isOwn; });
  llvm::erase_if(buffers, [](const Buffer &b) { return b.isOwn; });
  buffers.append(own);
  auto place = [&](bool allowOwn) {
    int64_t total = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      Buffer &buffer = buffers[i];
      int64_t alignment = buffer.op.getAlignment(), offset = 0;
      if (allowOwn && buffer.isOwn) {
        offset = llvm::alignTo(total, alignment);
      } else {
        SmallVector<std::pair<int64_t, int64_t>> taken;
        for (size_t j = 0; j < i; ++j)
          if (buffers[j].last >= buffer.first && buffer.last >= buffers[j].first)
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
      buffer.op.setOffset(offset);
    }
    return total;
  };
  int64_t total = place(/*allowOwn=*/true);
  if (uint64_t(total) > target.sharedMemoryBytes)
    total = place(/*allowOwn=*/false);
  if (uint64_t(total) > target.sharedMemoryBytes) {
    // At what takes most: that is where smaller blocks help.
    auto largest = llvm::max_element(
        buffers, [](Buffer &x, Buffer &y) { return x.op.getBytes() < y.op.getBytes(); });
    return emitError(largest->op.getLoc())
           << "needs " << total << " bytes of shared memory, but " << target.name << " has "
           << target.sharedMemoryBytes << " for a program, which is "
           << total - int64_t(target.sharedMemoryBytes) << " too few; " << advice;
  }
  kernel->setAttr(SimtDialect::kSharedBytesAttr,
                  IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), total));
  return success();
}

namespace {
/// Buffers with accesses since the last barrier.
struct Pending {
  llvm::SetVector<SharedAllocOp> reads, writes, adds, copies; ///< copies: asynchronous, under way
  llvm::SetVector<SharedAllocOp> products; ///< What matrix instructions under way read.
  /// Accesses to buffers of which each warp has its part, since the last barrier of any scope.
  llvm::SetVector<SharedAllocOp> warpReads, warpWrites;

  void clear() {
    reads.clear();
    writes.clear();
    adds.clear();
    clearWarps();
  }
  void clearWarps() {
    warpReads.clear();
    warpWrites.clear();
  }
  bool merge(const Pending &other) {
    size_t before = size();
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    adds.insert(other.adds.begin(), other.adds.end());
    copies.insert(other.copies.begin(), other.copies.end());
    products.insert(other.products.begin(), other.products.end());
    warpReads.insert(other.warpReads.begin(), other.warpReads.end());
    warpWrites.insert(other.warpWrites.begin(), other.warpWrites.end());
    return before != size();
  }
  size_t size() const {
    return reads.size() + writes.size() + adds.size() + copies.size() + products.size() +
           warpReads.size() + warpWrites.size();
  }
};

class BarrierInserter {
public:
  explicit BarrierInserter(BarrierScope scope) : scope(scope) {}
  void block(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, pending);
  }

private:
  static bool overlap(SharedAllocOp x, SharedAllocOp y) {
    int64_t startX = *x.getOffset(), startY = *y.getOffset();
    return startX < startY + int64_t(y.getBytes()) && startY < startX + int64_t(x.getBytes());
  }
  void visit(Operation *op, Pending &pending);
  /// Whether each warp has a part of both, the same bytes.
  static bool shareWarpParts(SharedAllocOp x, SharedAllocOp y) {
    return x.getPerWarp() && y.getPerWarp() && x.getOffset() == y.getOffset() &&
           x.getBytes() == y.getBytes();
  }
  static bool shareWarpParts(SharedAllocOp buffer, const llvm::SetVector<SharedAllocOp> &others) {
    return llvm::any_of(others, [&](SharedAllocOp other) { return shareWarpParts(buffer, other); });
  }
  /// Accesses of a warp to its own part do not meet other warps' to theirs.
  static bool overlapAny(SharedAllocOp buffer, const llvm::SetVector<SharedAllocOp> &others) {
    return llvm::any_of(others, [&](SharedAllocOp other) {
      return overlap(buffer, other) && !shareWarpParts(buffer, other);
    });
  }
  void read(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.writes) || overlapAny(buffer, pending.adds))
      insertBefore(op, pending);
    if (buffer.getPerWarp()) {
      if (shareWarpParts(buffer, pending.warpWrites))
        insertInWarp(op, pending);
      pending.warpReads.insert(buffer);
    }
    pending.reads.insert(buffer);
  }
  /// Additions are in no one's way but others' reads and writes.
  void add(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.reads) || overlapAny(buffer, pending.writes) ||
        llvm::any_of(pending.adds, [&](SharedAllocOp other) {
          return other != buffer && overlap(buffer, other);
        }))
      insertBefore(op, pending);
    pending.adds.insert(buffer);
  }
  void write(Operation *op, SharedAllocOp buffer, Pending &pending) {
    if (overlapAny(buffer, pending.reads) || overlapAny(buffer, pending.adds) ||
        llvm::any_of(pending.writes, [&](SharedAllocOp other) {
          return other != buffer && overlap(buffer, other) && !shareWarpParts(buffer, other);
        }))
      insertBefore(op, pending);
    if (buffer.getPerWarp()) {
      bool overwrites = llvm::any_of(pending.warpWrites, [&](SharedAllocOp other) {
        return other != buffer && shareWarpParts(buffer, other);
      });
      if (overwrites || shareWarpParts(buffer, pending.warpReads))
        insertInWarp(op, pending);
      pending.warpWrites.insert(buffer);
    }
  }
  void insertInWarp(Operation *op, Pending &pending) {
    if (!isTrial) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc(), BarrierScope::Warp);
    }
    pending.clearWarps();
  }
  void insertBefore(Operation *op, Pending &pending) {
    if (!isTrial) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc(), scope);
    }
    pending.clear();
  }
  BarrierScope scope;
  bool isTrial = false; ///< Only find out what is pending.
};
} // namespace

void BarrierInserter::visit(Operation *op, Pending &pending) {
  auto bufferOf = [](Value value) { return value.getDefiningOp<SharedAllocOp>(); };
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    if (barrier.getScope() == scope || barrier.getScope() == BarrierScope::Program)
      pending.clear();
    else
      pending.clearWarps();
  } else if (auto load = dyn_cast<SharedLoadOp>(op)) {
    read(op, bufferOf(load.getBuffer()), pending);
  } else if (auto load = dyn_cast<LoadMatrixOp>(op)) {
    read(op, bufferOf(load.getBuffer()), pending);
  } else if (auto load = dyn_cast<MatrixLoadOp>(op)) {
    read(op, bufferOf(load.getBuffer()), pending);
  } else if (auto store = dyn_cast<MatrixStoreOp>(op)) {
    write(op, bufferOf(store.getBuffer()), pending);
    pending.writes.insert(bufferOf(store.getBuffer()));
  } else if (auto fence = dyn_cast<WgmmaFenceOp>(op)) {
    for (Value buffer : fence.getBuffers()) {
      read(op, bufferOf(buffer), pending);
      pending.products.insert(bufferOf(buffer));
    }
  } else if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    // The instructions may have read up to here, whatever barriers were passed since they began.
    pending.reads.insert(pending.products.begin(), pending.products.end());
    if (wait.getPending() == 0)
      pending.products.clear();
  } else if (auto addition = dyn_cast<SharedAddOp>(op)) {
    add(op, bufferOf(addition.getBuffer()), pending);
  } else if (auto store = dyn_cast<SharedStoreOp>(op)) {
    if (store.getAhead()) // between barriers that are there
      return;
    write(op, bufferOf(store.getBuffer()), pending);
    pending.writes.insert(bufferOf(store.getBuffer()));
  } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    write(op, bufferOf(copy.getBuffer()), pending);
    pending.copies.insert(bufferOf(copy.getBuffer()));
  } else if (isa<AsyncWaitOp>(op)) {
    // Each thread waits for its own copies only; others may see them after a barrier.
    pending.writes.insert(pending.copies.begin(), pending.copies.end());
    if (cast<AsyncWaitOp>(op).getPending() == 0)
      pending.copies.clear();
  } else if (op->getNumRegions()) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    // What a loop's later iterations start with must be known before the first barrier is placed.
    Pending entry = pending;
    bool wasTrial = std::exchange(isTrial, isTrial || isLoop);
    for (;;) {
      Pending state = entry, joined;
      // The regions of a loop run one after the other; those of a branch are alternatives.
      if (!isLoop)
        joined = entry;
      bool first = true;
      for (Region &region : op->getRegions())
        for (Block &inner : region) {
          if (!isLoop)
            state = entry;
          block(inner, state);
          if (!isLoop) {
            if (first && op->getNumRegions() == 2 && !op->getRegion(1).empty())
              joined = state;
            else
              joined.merge(state);
            first = false;
          }
        }
      if (!isLoop) {
        pending = joined;
        return;
      }
      if (entry.merge(state))
        continue;
      if (isTrial && !wasTrial) {
        isTrial = false;
        continue;
      }
      isTrial = wasTrial;
      pending = entry;
      return;
    }
  }
}

LogicalResult simt::insertBarriers(func::FuncOp kernel, BarrierScope scope) {
  BarrierInserter inserter(scope);
  Pending pending;
  for (Block &block : kernel.getBody())
    inserter.block(block, pending);
  return success();
}
