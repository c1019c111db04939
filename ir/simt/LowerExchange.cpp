// Registers that lanes of a warp give each other: by shuffles, or through shared memory on targets
// that have none.
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

Values Lowering::exchangeThroughShared(ArrayRef<Value> words, ShuffleMode mode, Value lane) {
  uint64_t threads = uint64_t(options.numWarps) * options.target->warpSize;
  int32_t laneMask = int32_t(options.target->warpSize) - 1;
  Value ownLane = arith::AndIOp::create(b, loc, threadId, constant(laneMask));
  Value other;
  switch (mode) {
  case ShuffleMode::Xor:
    other = arith::XOrIOp::create(b, loc, threadId, lane);
    break;
  case ShuffleMode::Index:
    other = arith::AddIOp::create(b, loc, arith::SubIOp::create(b, loc, threadId, ownLane), lane);
    break;
  case ShuffleMode::Up:
  case ShuffleMode::Down: {
    bool isUp = mode == ShuffleMode::Up;
    Value limit = isUp ? lane : arith::SubIOp::create(b, loc, constant(laneMask), lane).getResult();
    Value isInside = arith::CmpIOp::create(
        b, loc, isUp ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule, ownLane, limit);
    Value moved = isUp ? arith::SubIOp::create(b, loc, threadId, lane).getResult()
                       : arith::AddIOp::create(b, loc, threadId, lane).getResult();
    other = arith::SelectOp::create(b, loc, isInside, moved, threadId);
    break;
  }
  }
  // As many words at a time as a quarter of the memory holds; neighbouring lanes are neighbours.
  uint64_t room = options.target->sharedMemoryBytes / 4;
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
    Value buffer = SharedAllocOp::create(b, loc, int64_t(used));
    auto offset = [&](size_t i, Value thread) -> Value {
      unsigned bytes = words[i].getType().getIntOrFloatBitWidth() / 8;
      Value scaled = arith::ShLIOp::create(b, loc, thread, constant(llvm::Log2_32(bytes)));
      return arith::AddIOp::create(b, loc, scaled, constant(int32_t(places[i])));
    };
    for (size_t i = 0; i < count; ++i)
      SharedStoreOp::create(b, loc, buffer, offset(i, threadId), pack({words[i]}), Value());
    for (size_t i = 0; i < count; ++i) {
      auto one = VectorType::get({1}, words[i].getType());
      result.push_back(unpack(SharedLoadOp::create(b, loc, one, buffer, offset(i, other)))[0]);
    }
    words = words.drop_front(count);
  }
  return result;
}

Values Lowering::exchange(ArrayRef<Value> vectors, ShuffleMode mode, Value lane) {
  // A bool travels as an integer; memory is best served in whole words.
  Values words;
  for (Value vector : vectors)
    for (Value element : unpack(vector)) {
      unsigned bits = element.getType().getIntOrFloatBitWidth();
      if (bits == 1 || (!options.target->hasShuffle && bits < 32)) {
        if (isa<FloatType>(element.getType()))
          element = arith::BitcastOp::create(b, loc, b.getIntegerType(bits), element);
        element = resizeInteger(element, 32);
      }
      words.push_back(element);
    }
  if (options.target->hasShuffle)
    for (Value &word : words)
      word = shuffle(mode, word, lane);
  else
    words = exchangeThroughShared(words, mode, lane);

  Values results;
  size_t next = 0;
  for (Value vector : vectors) {
    auto type = cast<VectorType>(vector.getType());
    Type element = type.getElementType();
    Values moved;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value word = words[next++];
      if (word.getType() != element) {
        word = resizeInteger(word, element.getIntOrFloatBitWidth());
        if (word.getType() != element)
          word = arith::BitcastOp::create(b, loc, element, word);
      }
      moved.push_back(word);
    }
    results.push_back(pack(moved));
  }
  return results;
}
