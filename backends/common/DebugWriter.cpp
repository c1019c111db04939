// See DebugWriter.h.
#include "backends/common/DebugWriter.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::backend;

namespace {

class DebugWriter {
public:
  DebugWriter(func::FuncOp kernel, uint64_t sharedBytes, std::vector<DebugSite> &sites)
      : kernel(kernel), sharedBytes(sharedBytes), sites(sites), b(kernel.getContext()),
        loc(kernel.getLoc()) {}
  void run();

private:
  void lowerPrint(simt::PrintOp op);
  void lowerAssert(simt::AssertOp op);
  void addStopFlag();
  DebugSite &addSite(Operation *op, DebugSite::Kind kind, StringRef text);
  /// The words in which `value` travels; adds its letter to `letters`.
  SmallVector<Value> wordsOf(Value value, std::string &letters);

  Value constant(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }
  Value address(Value word) {
    Value bytes = arith::ExtUIOp::create(b, loc, b.getI64Type(), word);
    Value four = arith::ConstantIntOp::create(b, loc, 4, 64);
    bytes = arith::MulIOp::create(b, loc, bytes, four);
    Value buffer = simt::DebugBufferOp::create(b, loc);
    return arith::AddIOp::create(b, loc, buffer, bytes);
  }
  void store(Value word, Value value) {
    Value vector =
        vector::FromElementsOp::create(b, loc, VectorType::get({1}, b.getI32Type()), value);
    simt::StoreOp::create(b, loc, address(word), vector, Value());
  }
  Value load(unsigned word) {
    Value vector = simt::LoadOp::create(
        b, loc, VectorType::get({1}, b.getI32Type()), address(constant(word)), Value(), Value(),
        tile::CacheModifier::None, tile::EvictionPolicy::Normal, /*is_volatile=*/true);
    return vector::ExtractOp::create(b, loc, vector, 0);
  }
  Value add(unsigned word, Value amount) {
    return simt::AtomicRMWOp::create(b, loc, b.getI32Type(), tile::AtomicKind::Add,
                                     address(constant(word)), amount, Value(),
                                     tile::MemSemantic::Relaxed, tile::MemScope::GPU);
  }
  void barrier() { simt::BarrierOp::create(b, loc, simt::BarrierScope::Program); }

  func::FuncOp kernel;
  const uint64_t sharedBytes; ///< That a program may have.
  std::vector<DebugSite> &sites;
  OpBuilder b;
  Location loc;
  Value stopFlag; ///< In shared memory: an assertion failed. Null where there was no room.
};

} // namespace

DebugSite &DebugWriter::addSite(Operation *op, DebugSite::Kind kind, StringRef text) {
  DebugSite site;
  site.kind = kind;
  site.text = text.str();
  op->getLoc()->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position)
      return WalkResult::advance();
    site.file = position.getFilename().str();
    site.line = position.getLine();
    site.column = position.getColumn();
    return WalkResult::interrupt();
  });
  sites.push_back(std::move(site));
  return sites.back();
}

SmallVector<Value> DebugWriter::wordsOf(Value value, std::string &letters) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  if (value.getType() == i32) {
    letters += 'i';
    return {value};
  }
  if (value.getType().isF64()) {
    // A shorter float is passed as one, because the device may lack float64.
    FloatAttr known;
    if (auto extension = value.getDefiningOp<arith::ExtFOp>();
        extension && extension.getIn().getType().getIntOrFloatBitWidth() <= 32) {
      Value source = extension.getIn();
      if (!source.getType().isF32())
        source = arith::ExtFOp::create(b, loc, b.getF32Type(), source);
      letters += 'f';
      return {arith::BitcastOp::create(b, loc, i32, source)};
    }
    letters += 'd';
    if (matchPattern(value, m_Constant(&known)))
      value = arith::ConstantIntOp::create(
          b, loc, int64_t(known.getValue().bitcastToAPInt().getZExtValue()), 64);
    else
      value = arith::BitcastOp::create(b, loc, i64, value);
  } else {
    letters += 'l';
  }
  Value shift = arith::ConstantIntOp::create(b, loc, 32, 64);
  Value high = arith::ShRUIOp::create(b, loc, value, shift);
  return {arith::TruncIOp::create(b, loc, i32, value), arith::TruncIOp::create(b, loc, i32, high)};
}

void DebugWriter::lowerPrint(simt::PrintOp op) {
  loc = op.getLoc();
  b.setInsertionPoint(op);
  DebugSite &site = addSite(op, DebugSite::Kind::Print, op.getFormat());
  SmallVector<Value> words{constant(int64_t(sites.size()))};
  for (Value value : op.getValues())
    words.append(wordsOf(value, site.arguments));
  auto guarded = scf::IfOp::create(b, loc, op.getMask(), /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  Value capacity = load(DebugBuffer::kCapacity);
  Value size = constant(int64_t(words.size()));
  // Once the buffer is full, its counter stops: it must never wrap around.
  Value isOpen =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, load(DebugBuffer::kUsed), capacity);
  auto reserve = scf::IfOp::create(b, loc, TypeRange{b.getI32Type()}, isOpen,
                                   /*withElseRegion=*/true);
  b.setInsertionPointToStart(reserve.thenBlock());
  scf::YieldOp::create(b, loc, add(DebugBuffer::kUsed, size));
  b.setInsertionPointToStart(reserve.elseBlock());
  scf::YieldOp::create(b, loc, capacity);
  b.setInsertionPointAfter(reserve);
  Value first = reserve.getResult(0);
  Value end = arith::AddIOp::create(b, loc, first, size);
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, end, capacity);
  auto write = scf::IfOp::create(b, loc, fits, /*withElseRegion=*/true);
  b.setInsertionPointToStart(write.thenBlock());
  Value start = arith::AddIOp::create(b, loc, first, constant(DebugBuffer::kHeaderWords));
  for (auto [i, word] : llvm::enumerate(words))
    store(arith::AddIOp::create(b, loc, start, constant(int64_t(i))), word);
  b.setInsertionPointToStart(write.elseBlock());
  add(DebugBuffer::kLostRecords, constant(1));
  SmallVector<Operation *> extensions;
  for (Value value : op.getValues())
    if (auto extension = value.getDefiningOp<arith::ExtFOp>())
      extensions.push_back(extension);
  op.erase();
  for (Operation *extension : llvm::SetVector<Operation *>(extensions.begin(), extensions.end()))
    if (extension->use_empty())
      extension->erase();
}

/// A word of shared memory after all others, initially 0.
void DebugWriter::addStopFlag() {
  auto known = kernel->getAttrOfType<IntegerAttr>(simt::SimtDialect::kSharedBytesAttr);
  int64_t offset = llvm::alignTo(known ? known.getInt() : 0, 4);
  if (uint64_t(offset) + 4 > sharedBytes)
    return;
  kernel->setAttr(simt::SimtDialect::kSharedBytesAttr, b.getI64IntegerAttr(offset + 4));
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto flag = simt::SharedAllocOp::create(b, loc, 4);
  flag.setAlignment(4);
  flag.setOffset(offset);
  stopFlag = flag;
  Value zero = constant(0);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        simt::ThreadIdOp::create(b, loc), zero);
  Value vector = vector::FromElementsOp::create(b, loc, VectorType::get({1}, b.getI32Type()), zero);
  simt::SharedStoreOp::create(b, loc, stopFlag, zero, vector, isFirst);
  barrier();
}

void DebugWriter::lowerAssert(simt::AssertOp op) {
  loc = op.getLoc();
  b.setInsertionPoint(op);
  addSite(op, DebugSite::Kind::Assert, op.getMessage());
  Value id = constant(int64_t(sites.size()));
  Value fails =
      arith::XOrIOp::create(b, loc, op.getCondition(), arith::ConstantIntOp::create(b, loc, 1, 1));
  auto guarded = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
  b.setInsertionPointToStart(guarded.thenBlock());
  add(DebugBuffer::kFailures, constant(1));
  auto one = VectorType::get({1}, b.getI32Type());
  // Several threads may set it at a time.
  if (stopFlag)
    simt::SharedAddOp::create(b, loc, stopFlag, constant(0), constant(1), Value());
  Value before = simt::AtomicCASOp::create(
      b, loc, b.getI32Type(), address(constant(DebugBuffer::kFailedSite)), constant(0), id, Value(),
      tile::MemSemantic::Relaxed, tile::MemScope::GPU);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, constant(0));
  auto report = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(report.thenBlock());
  for (int axis = 0; axis < 3; ++axis)
    store(constant(DebugBuffer::kFailedProgram + axis), tile::ProgramIdOp::create(b, loc, axis));
  store(constant(DebugBuffer::kFailedThread), simt::ThreadIdOp::create(b, loc));
  if (stopFlag) {
    b.setInsertionPoint(op);
    barrier();
    Value flag = vector::ExtractOp::create(
        b, loc, simt::SharedLoadOp::create(b, loc, one, stopFlag, constant(0)), 0);
    // Before the next assertion can set it, all have read it.
    barrier();
    simt::ExitIfOp::create(
        b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag, constant(0)));
  }
  op.erase();
}

void DebugWriter::run() {
  SmallVector<simt::PrintOp> prints;
  SmallVector<simt::AssertOp> assertions;
  kernel.walk([&](Operation *op) {
    if (auto print = dyn_cast<simt::PrintOp>(op))
      prints.push_back(print);
    else if (auto assertion = dyn_cast<simt::AssertOp>(op))
      assertions.push_back(assertion);
  });
  if (!assertions.empty())
    addStopFlag();
  for (simt::AssertOp op : assertions)
    lowerAssert(op);
  for (simt::PrintOp op : prints)
    lowerPrint(op);
}

void backend::prepareDebug(func::FuncOp kernel, uint64_t sharedBytes,
                           std::vector<DebugSite> &sites) {
  DebugWriter(kernel, sharedBytes, sites).run();
}
