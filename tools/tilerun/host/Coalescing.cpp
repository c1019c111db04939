// See Coalescing.h.
#include "tools/tilerun/host/Coalescing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace tilerun;
using namespace tilerun::host;

unsigned Coalescing::getAlignment() const {
  return 1u << std::min<unsigned>(llvm::Log2_32(kLine), unsigned(llvm::countr_zero(beginnings)));
}

namespace {
/// How lanes that are neighbours along a dimension lie to each other.
struct Neighbours {
  uint64_t pairs = 0, contiguous = 0;
  uint64_t distance =
      UINT64_MAX; ///< Of the first pair; one at the same address is not a neighbour.
};
} // namespace

static Neighbours look(const Lanes &lanes, unsigned dim) {
  Neighbours out;
  size_t step = 1;
  for (int64_t extent : lanes.shape.drop_front(dim + 1))
    step *= size_t(extent);
  for (size_t i = 0; i < lanes.addresses.size(); ++i) {
    if (int64_t(i / step) % lanes.shape[dim] + 1 == lanes.shape[dim] || !lanes.isOn(i) ||
        !lanes.isOn(i + step))
      continue;
    const uint64_t from = lanes.addresses[i], to = lanes.addresses[i + step];
    if (!out.pairs++ && from != to)
      out.distance = std::max(from, to) - std::min(from, to);
    out.contiguous += to - from == lanes.bytes;
  }
  return out;
}

void Coalescing::chooseOrder(const Lanes &given) {
  const auto rank = unsigned(given.shape.size());
  llvm::SmallVector<Neighbours> neighbours;
  for (unsigned dim = 0; dim < rank; ++dim)
    neighbours.push_back(look(given, dim));
  order.assign(llvm::seq(0u, rank).begin(), llvm::seq(0u, rank).end());
  // Most contiguous pairs first, then the smallest distance, then the last dimension.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    const Neighbours &x = neighbours[a], &y = neighbours[b];
    const double shareX = x.pairs ? double(x.contiguous) / double(x.pairs) : 0;
    const double shareY = y.pairs ? double(y.contiguous) / double(y.pairs) : 0;
    if (shareX != shareY)
      return shareX > shareY;
    return x.distance != y.distance ? x.distance < y.distance : a > b;
  });
  isOrderKnown = llvm::any_of(neighbours, [](const Neighbours &n) { return n.pairs > 0; });

  permuted.resize(given.addresses.size());
  for (size_t place = 0; place < permuted.size(); ++place) {
    size_t rest = place, lane = 0;
    for (unsigned dim : order) {
      const auto extent = size_t(given.shape[dim]);
      size_t step = 1;
      for (int64_t later : given.shape.drop_front(dim + 1))
        step *= size_t(later);
      lane += rest % extent * step;
      rest /= extent;
    }
    permuted[place] = uint32_t(lane);
  }
}

void Coalescing::add(const Lanes &given) {
  lanes += given.addresses.size();
  if (given.mask)
    off += uint64_t(llvm::count(llvm::ArrayRef(given.mask, given.addresses.size()), 0));
  if (!isOrderKnown)
    chooseOrder(given);
  const llvm::ArrayRef<uint32_t> all = permuted;
  for (size_t i = 0; i < all.size(); i += kWarp)
    addWarp(given, all.slice(i, std::min<size_t>(kWarp, all.size() - i)));
  const size_t row = order.empty() ? 1 : size_t(given.shape[order.front()]);
  for (size_t i = 0; i < all.size(); i += row) {
    addRuns(given, all.slice(i, row));
    addVectors(given, all.slice(i, row));
  }
  ++executions;
}

/// The units of `size` bytes that addresses are in, each once.
static size_t countUnits(llvm::ArrayRef<uint64_t> addresses, unsigned bytes, uint64_t size) {
  size_t count = 0;
  uint64_t last = UINT64_MAX;
  for (uint64_t address : addresses) // Ascending.
    for (uint64_t unit = address / size; unit <= (address + bytes - 1) / size; ++unit)
      if (last == UINT64_MAX || unit > last) {
        ++count;
        last = unit;
      }
  return count;
}

void Coalescing::addWarp(const Lanes &given, llvm::ArrayRef<uint32_t> members) {
  llvm::SmallVector<uint64_t, kWarp> addresses;
  for (uint32_t lane : members)
    if (given.isOn(lane))
      addresses.push_back(given.addresses[lane]);
  if (addresses.empty())
    return;
  const auto active = unsigned(addresses.size());
  llvm::sort(addresses);
  addresses.erase(llvm::unique(addresses), addresses.end());
  const uint64_t used = addresses.size() * given.bytes;
  const uint64_t touched = countUnits(addresses, given.bytes, kSector);
  const uint64_t least = llvm::divideCeil(used, kSector);
  ++warps;
  sectors.units += touched;
  sectors.least += least;
  lines.units += countUnits(addresses, given.bytes, kLine);
  lines.least += llvm::divideCeil(used, kLine);
  // a/b < c/d without division.
  if (worst && least * worst->sectors.size() >= worst->least * touched)
    return;
  worst = Warp{{}, least, active, executions};
  for (uint64_t address : addresses)
    for (uint64_t at = address, end = address + given.bytes; at < end;) {
      const uint64_t sector = at / kSector * kSector, next = std::min(end, sector + kSector);
      if (worst->sectors.empty() || worst->sectors.back().address != sector)
        worst->sectors.push_back({sector, 0});
      worst->sectors.back().bytes += unsigned(next - at);
      at = next;
    }
}

void Coalescing::endRun(uint64_t begin, uint64_t length) {
  if (!length)
    return;
  runs.shortest = runs.count ? std::min(runs.shortest, length) : length;
  runs.longest = std::max(runs.longest, length);
  ++runs.count;
  beginnings |= begin;
}

void Coalescing::addRuns(const Lanes &given, llvm::ArrayRef<uint32_t> row) {
  uint64_t begin = 0, length = 0;
  for (uint32_t lane : row) {
    const uint64_t address = given.addresses[lane];
    const bool isOn = given.isOn(lane);
    if (isOn && length && address == begin + length * given.bytes) {
      ++length;
      continue;
    }
    endRun(begin, length);
    begin = address;
    length = isOn ? 1 : 0;
  }
  endRun(begin, length);
}

void Coalescing::addVectors(const Lanes &given, llvm::ArrayRef<uint32_t> row) {
  const size_t size = kVector / given.bytes;
  for (size_t i = 0; i < row.size(); i += size) {
    const llvm::ArrayRef<uint32_t> group = row.slice(i, std::min(size, row.size() - i));
    if (llvm::none_of(group, [&](uint32_t lane) { return given.isOn(lane); }))
      continue;
    ++vectors;
    const uint64_t first = given.addresses[group.front()];
    bool fits = group.size() == size && first % kVector == 0;
    for (size_t k = 0; k < group.size() && fits; ++k)
      fits = given.isOn(group[k]) && given.addresses[group[k]] == first + k * given.bytes;
    possibleVectors += fits;
  }
}
