// See Exchange.h.
#include "ir/simt/Exchange.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

static Values exchangeThroughShared(LowerContext &c, ArrayRef<Value> words, ShuffleMode mode,
                                    Value lane) {
  uint64_t threads = uint64_t(c.options.numWarps) * c.target.warpSize;
  int32_t laneMask = int32_t(c.target.warpSize) - 1;
  Value ownLane = arith::AndIOp::create(c.b, c.threads.threadId(), constant(c.b, laneMask));
  Value other;
  switch (mode) {
  case ShuffleMode::Xor:
    other = arith::XOrIOp::create(c.b, c.threads.threadId(), lane);
    break;
  case ShuffleMode::Index:
    other =
        arith::AddIOp::create(c.b, arith::SubIOp::create(c.b, c.threads.threadId(), ownLane), lane);
    break;
  case ShuffleMode::Up:
  case ShuffleMode::Down: {
    bool isUp = mode == ShuffleMode::Up;
    Value limit =
        isUp ? lane : arith::SubIOp::create(c.b, constant(c.b, laneMask), lane).getResult();
    Value isInside = arith::CmpIOp::create(
        c.b, isUp ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule, ownLane, limit);
    Value moved = isUp ? arith::SubIOp::create(c.b, c.threads.threadId(), lane).getResult()
                       : arith::AddIOp::create(c.b, c.threads.threadId(), lane).getResult();
    other = arith::SelectOp::create(c.b, isInside, moved, c.threads.threadId());
    break;
  }
  }
  // As many words at a time as a quarter of the memory holds; neighbouring lanes are neighbours.
  uint64_t room = c.target.budget().forExchange();
  Values result;
  while (!words.empty()) {
    uint64_t used = 0;
    size_t count = 0;
    SmallVector<uint64_t> places;
    for (; count < words.size(); ++count) {
      uint64_t bytes = words[count].getType().getIntOrFloatBitWidth() / 8;
      uint64_t place = llvm::alignTo(used, 8);
      if (count && place + bytes * threads > room)
        break;
      places.push_back(place);
      used = place + bytes * threads;
    }
    Value buffer = SharedAllocOp::create(c.b, int64_t(used));
    auto offset = [&](size_t i, Value thread) -> Value {
      unsigned bytes = words[i].getType().getIntOrFloatBitWidth() / 8;
      Value scaled = arith::ShLIOp::create(c.b, thread, constant(c.b, llvm::Log2_32(bytes)));
      return arith::AddIOp::create(c.b, scaled, constant(c.b, int32_t(places[i])));
    };
    for (size_t i = 0; i < count; ++i)
      SharedStoreOp::create(c.b, buffer, offset(i, c.threads.threadId()), pack(c.b, {words[i]}),
                            Value());
    for (size_t i = 0; i < count; ++i) {
      auto one = VectorType::get({1}, words[i].getType());
      result.push_back(unpack(c.b, SharedLoadOp::create(c.b, one, buffer, offset(i, other)))[0]);
    }
    words = words.drop_front(count);
  }
  return result;
}

Values simt::exchange(LowerContext &c, ArrayRef<Value> vectors, ShuffleMode mode, Value lane) {
  // A bool travels as an integer; memory is best served in whole words.
  Values words;
  for (Value vector : vectors)
    for (Value element : unpack(c.b, vector)) {
      unsigned bits = element.getType().getIntOrFloatBitWidth();
      if (bits == 1 || (!c.target.hasShuffle && bits < 32)) {
        if (isa<FloatType>(element.getType()))
          element = arith::BitcastOp::create(c.b, c.b.getIntegerType(bits), element);
        element = resizeInteger(c.b, element, 32);
      }
      words.push_back(element);
    }
  if (c.target.hasShuffle)
    for (Value &word : words)
      word = shuffle(c.b, mode, word, lane);
  else
    words = exchangeThroughShared(c, words, mode, lane);

  Values results;
  size_t next = 0;
  for (Value vector : vectors) {
    auto type = cast<VectorType>(vector.getType());
    Type element = type.getElementType();
    Values moved;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value word = words[next++];
      if (word.getType() != element) {
        word = resizeInteger(c.b, word, element.getIntOrFloatBitWidth());
        if (word.getType() != element)
          word = arith::BitcastOp::create(c.b, element, word);
      }
      moved.push_back(word);
    }
    results.push_back(pack(c.b, moved));
  }
  return results;
}
