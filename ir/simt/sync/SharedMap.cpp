// See SharedMap.h.
#include "ir/simt/sync/SharedMap.h"

#include "ir/simt/sync/Arena.h"
#include "ir/tile/Remarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

SharedMap simt::makeSharedMap(func::FuncOp kernel, uint64_t limit) {
  SharedMap map;
  map.limit = limit;
  const SmallVector<LiveBuffer> live = getLiveBuffers(kernel);
  std::vector<uint64_t> times;
  for (const LiveBuffer &buffer : live) {
    times.push_back(buffer.first);
    times.push_back(buffer.last);
  }
  llvm::sort(times);
  times.erase(llvm::unique(times), times.end());
  map.places = times.size();
  auto placeOf = [&](uint64_t time) {
    return size_t(llvm::lower_bound(times, time) - times.begin());
  };
  for (LiveBuffer buffer : live) {
    SharedMap::Buffer made{buffer.op.getOffset().value_or(0),
                           buffer.op.getBytes(),
                           placeOf(buffer.first),
                           placeOf(buffer.last),
                           findLine(buffer.op.getLoc()),
                           {}};
    for (Operation *user : buffer.op->getUsers())
      made.uses.push_back(user->getName().stripDialect().str());
    llvm::sort(made.uses);
    made.uses.erase(llvm::unique(made.uses), made.uses.end());
    map.bytes = std::max(map.bytes, made.offset + made.bytes);
    map.buffers.push_back(std::move(made));
  }
  llvm::sort(map.buffers, [](const SharedMap::Buffer &a, const SharedMap::Buffer &b) {
    return std::tie(a.offset, a.first, a.bytes) < std::tie(b.offset, b.first, b.bytes);
  });
  return map;
}

std::string simt::toText(const SharedMap &map) {
  if (map.buffers.empty())
    return "# no shared memory is used\n";
  constexpr size_t kMostColumns = 64;
  const size_t step = llvm::divideCeil(map.places, kMostColumns);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# " << map.bytes << " of " << map.limit
     << " bytes; '=' a buffer is alive, from its first use on the left to its last, in the order "
        "of the "
        "program\n";
  for (const SharedMap::Buffer &buffer : map.buffers) {
    std::string row(llvm::divideCeil(map.places, step), ' ');
    for (size_t at = buffer.first / step; at <= buffer.last / step; ++at)
      row[at] = '=';
    os << llvm::formatv("at {0,6}  {1,6} bytes  |{2}|  ", buffer.offset, buffer.bytes, row);
    if (buffer.line)
      os << "line " << buffer.line << ": ";
    os << llvm::join(buffer.uses, ", ") << "\n";
  }
  return text;
}

std::string simt::toJson(const SharedMap &map) {
  llvm::json::Array buffers;
  for (const SharedMap::Buffer &buffer : map.buffers)
    buffers.push_back(llvm::json::Object{{"offset", buffer.offset},
                                         {"bytes", buffer.bytes},
                                         {"first", buffer.first},
                                         {"last", buffer.last},
                                         {"line", buffer.line},
                                         {"uses", llvm::json::Array(buffer.uses)}});
  return llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{{"bytes", map.bytes},
                                                            {"limit", map.limit},
                                                            {"places", map.places},
                                                            {"buffers", std::move(buffers)}}));
}
