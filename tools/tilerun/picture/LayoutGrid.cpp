// See LayoutGrid.h.
#include "tools/tilerun/picture/LayoutGrid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::picture;
using namespace tilerun::layout;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

llvm::Expected<Slice> picture::parseSlice(StringRef text, llvm::ArrayRef<uint64_t> shape) {
  llvm::SmallVector<StringRef, 4> parts;
  if (!text.empty())
    text.split(parts, ',');
  auto fail = [](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  if (parts.size() != shape.size())
    return fail(llvm::Twine(parts.size()) + " ranges for " + llvm::Twine(shape.size()) +
                " dimensions; a range is START:END, START: or one index");
  Slice slice;
  for (auto [part, size] : llvm::zip(parts, shape)) {
    auto [begin, end] = part.trim().split(':');
    uint64_t first = 0, last = size;
    bool isIndex = !part.contains(':');
    if (((isIndex || !begin.empty()) && begin.getAsInteger(10, first)) ||
        (!end.empty() && end.getAsInteger(10, last)))
      return fail("'" + part + "' is not START:END, START: or one index");
    if (isIndex)
      last = first + 1;
    if (first >= last || last > size)
      return fail("'" + part + "' is empty or leaves 0:" + llvm::Twine(size));
    slice.emplace_back(first, last);
  }
  return slice;
}

Slice picture::wholeTensor(llvm::ArrayRef<uint64_t> shape) {
  Slice slice;
  for (uint64_t size : shape)
    slice.emplace_back(0, size);
  return slice;
}

Slice picture::firstCells(llvm::ArrayRef<uint64_t> shape, uint64_t rows, uint64_t columns) {
  Slice slice = wholeTensor(shape);
  size_t rank = shape.size();
  for (auto [dim, range] : llvm::enumerate(slice)) {
    uint64_t most = rank == 1         ? rows * columns
                    : dim + 1 == rank ? columns
                    : dim + 2 == rank ? rows
                                      : 1;
    range.second = std::min(range.second, most);
  }
  return slice;
}

uint64_t picture::countCells(const Slice &slice) {
  uint64_t count = 1;
  for (auto [begin, end] : slice)
    if (__builtin_mul_overflow(count, end - begin, &count))
      return UINT64_MAX;
  return count;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

static constexpr uint64_t kWrap = 8; ///< Columns of a tensor of one dimension.

/// The grids of a slice: the last two dimensions are rows and columns, each index of the others is
/// a grid of its own.
static std::vector<Grid> cut(const Slice &slice, llvm::ArrayRef<Dim> dims,
                             llvm::function_ref<Cell(llvm::ArrayRef<uint64_t>)> makeCell) {
  std::vector<Grid> grids;
  size_t rank = slice.size(), outer = rank < 2 ? 0 : rank - 2;
  llvm::SmallVector<uint64_t, 4> at;
  for (auto [begin, end] : slice)
    at.push_back(begin);
  auto names = [](std::pair<uint64_t, uint64_t> range, uint64_t step = 1) {
    std::vector<std::string> out;
    for (uint64_t i = range.first; i < range.second; i += step)
      out.push_back(std::to_string(i));
    return out;
  };
  while (true) {
    Grid &grid = grids.emplace_back();
    for (size_t dim = 0; dim < outer; ++dim)
      grid.title += (dim ? ", " : "") + dims[dim].name + " = " + std::to_string(at[dim]);
    if (rank == 0) {
      grid.rows = grid.columns = {"0"};
      grid.cells.push_back(makeCell(at));
    } else if (rank == 1) {
      grid.rows = names(slice[0], kWrap);
      grid.columns = names({0, std::min(kWrap, slice[0].second - slice[0].first)});
      for (at[0] = slice[0].first; at[0] < slice[0].second; ++at[0])
        grid.cells.push_back(makeCell(at));
    } else {
      grid.rows = names(slice[rank - 2]);
      grid.columns = names(slice[rank - 1]);
      for (at[rank - 2] = slice[rank - 2].first; at[rank - 2] < slice[rank - 2].second;
           ++at[rank - 2])
        for (at[rank - 1] = slice[rank - 1].first; at[rank - 1] < slice[rank - 1].second;
             ++at[rank - 1])
          grid.cells.push_back(makeCell(at));
    }
    size_t dim = outer;
    while (dim > 0 && ++at[dim - 1] == slice[dim - 1].second) {
      at[dim - 1] = slice[dim - 1].first;
      --dim;
    }
    if (dim == 0)
      return grids;
  }
}

namespace {
/// A position of a layout over threads.
struct Place {
  uint64_t reg = 0, lane = 0, warp = 0, block = 0;
  Place(llvm::ArrayRef<Dim> ins, uint64_t flat) {
    for (auto [in, value] : llvm::zip(ins, LinearLayout::unpack(ins, flat)))
      (in.name == kRegister ? reg
       : in.name == kLane   ? lane
       : in.name == kWarp   ? warp
                            : block) = value;
  }
};
} // namespace

static std::string printElement(llvm::ArrayRef<uint64_t> at) {
  return "element (" +
         llvm::join(llvm::map_range(at, [](uint64_t i) { return std::to_string(i); }), ", ") + ")";
}

/// The cell of an element that no position holds.
static Cell makeEmpty(llvm::ArrayRef<uint64_t> at, const char *why) {
  Cell cell;
  cell.text = cell.top = "-";
  cell.title = printElement(at) + ": " + why;
  return cell;
}

/// How cells of a layout over threads are written: without warps and blocks where there is one.
static std::string shortPlace(const LayoutFacts &facts, const Place &place) {
  return (facts.blocks > 1 ? std::to_string(place.block) + "/" : "") +
         (facts.warps > 1 ? std::to_string(place.warp) + ":" : "") + std::to_string(place.lane) +
         "." + std::to_string(place.reg);
}
static std::string placeLegend(const LayoutFacts &facts) {
  return std::string(facts.blocks > 1 ? "block/" : "") + (facts.warps > 1 ? "warp:" : "") +
         "lane.register";
}
static std::string placeKey(const LayoutFacts &facts) {
  return std::string(facts.warps > 1 ? "w: warp, in colours; " : "") + "l: lane, r: register";
}
static std::string longPlace(const LayoutFacts &facts, const Place &place) {
  return (facts.blocks > 1 ? llvm::formatv("block {0}, ", place.block).str() : "") +
         llvm::formatv("warp {0}, lane {1}, register {2}", place.warp, place.lane, place.reg).str();
}
static std::string keyOf(const Place &place) {
  return llvm::formatv("{0}.{1}.{2}", place.block, place.warp, place.lane);
}
static std::string threadName(const LayoutFacts &facts, const Place &place) {
  return (facts.warps > 1 ? "w" + std::to_string(place.warp) + " " : "") + "l" +
         std::to_string(place.lane);
}

/// From an element to the least position that holds it; none: nowhere.
static std::optional<uint64_t> findPosition(const LayoutFacts &facts, const LinearLayout &inverse,
                                            llvm::ArrayRef<uint64_t> at) {
  uint64_t element = LinearLayout::pack(facts.map.getOuts(), at);
  uint64_t position = inverse.applyFlat(element);
  if (facts.map.applyFlat(position) != element)
    return std::nullopt;
  return position;
}

Grids picture::makeGrids(const LayoutFacts &facts, const Slice &slice,
                         const target::TargetInfo &target, unsigned elementBytes) {
  const LinearLayout inverse = facts.map.pseudoInvert();
  const layout::SharedMemoryModel &model = target.sharedModel;
  std::string copies =
      facts.copies > 1 ? llvm::formatv("; held {0} times, here first", facts.copies).str() : "";
  Grids grids;
  grids.title = facts.map.toString();
  if (facts.isMemory) {
    const std::string banks =
        llvm::formatv("{0} banks of {1} bytes", model.banks, model.bankBytes).str();
    grids.legend = "offset/bank; " + banks;
    grids.key = "the offset, and b: the bank; " + banks + ", lines of " +
                std::to_string(model.lineBytes()) + " bytes in colours";
  } else {
    grids.legend = placeLegend(facts);
    grids.key = placeKey(facts);
  }
  grids.grids = cut(slice, facts.map.getOuts(), [&](llvm::ArrayRef<uint64_t> at) {
    std::optional<uint64_t> position = findPosition(facts, inverse, at);
    if (!position)
      return makeEmpty(at, "held nowhere");
    Cell cell;
    if (facts.isMemory) {
      uint64_t byte = *position * elementBytes;
      uint64_t bank = byte / model.bankBytes % model.banks, line = byte / model.lineBytes();
      cell.text = llvm::formatv("{0}/{1}", *position, bank);
      cell.top = std::to_string(*position);
      cell.bottom = "b" + std::to_string(bank);
      cell.title = llvm::formatv("{0}: offset {1} (byte {2}), line {3}, bank {4}{5}",
                                 printElement(at), *position, byte, line, bank, copies);
      cell.key = std::to_string(bank);
      cell.tint = unsigned(line % 8);
      return cell;
    }
    Place place(facts.map.getIns(), *position);
    cell.text = shortPlace(facts, place);
    cell.top = threadName(facts, place);
    cell.bottom = "r" + std::to_string(place.reg);
    cell.title = printElement(at) + ": " + longPlace(facts, place) + copies;
    cell.key = keyOf(place);
    cell.tint = unsigned(place.warp % 8);
    return cell;
  });
  return grids;
}

Grids picture::makeGrids(const Transfer &transfer, const LayoutFacts &to, const Slice &slice) {
  // The plan's own sizes: a side that is smaller replicates.
  const LinearLayout &sources = transfer.plan->source;
  const LinearLayout inverse = to.map.pseudoInvert();
  LayoutFacts shown = to;
  shown.warps = uint64_t(1) << sources.inBits(kWarp);
  shown.blocks = uint64_t(1) << sources.inBits(kBlock);
  static constexpr const char *kMarks = "=rlwb";
  Grids grids;
  grids.title = "Where the values of " + to.map.toString() + " come from";
  const std::string marks = "= stays, r another register, l another lane, w another warp";
  grids.legend = "source as " + placeLegend(shown) + ", after a mark: " + marks;
  grids.key = "the source; before its register, and in colours: " + marks;
  grids.grids = cut(slice, to.map.getOuts(), [&](llvm::ArrayRef<uint64_t> at) {
    std::optional<uint64_t> position = findPosition(to, inverse, at);
    if (!position)
      return makeEmpty(at, "the destination does not hold it");
    Cell cell;
    Place place(to.map.getIns(), *position);
    uint64_t flat =
        LinearLayout::pack(sources.getIns(), {place.reg, place.lane, place.warp, place.block});
    uint64_t from = 0;
    Move move = classify(transfer, flat, from);
    Place source(sources.getOuts(), from);
    cell.text = kMarks[unsigned(move)] + shortPlace(shown, source);
    cell.top = threadName(shown, source);
    cell.bottom = std::string(1, kMarks[unsigned(move)]) + " r" + std::to_string(source.reg);
    cell.title =
        printElement(at) + ": " + longPlace(shown, place) + ", from " + longPlace(shown, source);
    cell.key = keyOf(source);
    cell.tint = unsigned(move);
    return cell;
  });
  return grids;
}

void picture::printGrids(llvm::raw_ostream &os, const Grids &grids) {
  os << "cells: " << grids.legend << "\n";
  for (const Grid &grid : grids.grids) {
    if (!grid.title.empty())
      os << grid.title << "\n";
    auto widest = [](const auto &texts) {
      size_t width = 0;
      for (StringRef text : texts)
        width = std::max(width, text.size());
      return width;
    };
    size_t left = widest(grid.rows), width = widest(grid.columns);
    for (const Cell &cell : grid.cells)
      width = std::max(width, cell.text.size());
    os.indent(unsigned(left));
    for (StringRef name : grid.columns)
      os << "  " << llvm::right_justify(name, unsigned(width));
    for (auto [i, cell] : llvm::enumerate(grid.cells)) {
      if (i % grid.columns.size() == 0)
        os << "\n" << llvm::right_justify(grid.rows[i / grid.columns.size()], unsigned(left));
      os << "  " << llvm::right_justify(cell.text, unsigned(width));
    }
    os << "\n";
  }
}
