// What a launch does to the elements of its tensors: which programs read and write them, and how
// its loads, stores and atomic operations go to memory. Text, JSON and pictures are made from it.
#pragma once

#include "tools/tilerun/host/Coalescing.h"
#include "tools/tilerun/host/MapShape.h"

namespace tilerun::host {

/// Distinct programs, which are added in ascending order.
struct Programs {
  uint32_t count = 0, first = 0, last = 0;
  void add(uint32_t program) {
    if (count && last == program)
      return;
    first = count++ ? first : program;
    last = program;
  }
  bool areOnly(uint32_t program) const { return count == 1 && first == program; }
};

struct ElementAccess {
  Programs readers;
  Programs writers;  ///< By plain stores.
  Programs updaters; ///< The same, and by atomic operations.
  /// Two programs access it, and they may disagree unless something orders them: one writes
  /// plainly, or one atomically what the other reads.
  bool conflicts() const {
    return (writers.count && updaters.count > 1) ||
           (updaters.count && readers.count &&
            !(updaters.count == 1 && readers.areOnly(updaters.first)));
  }
};

enum class Use { Read, Write };

/// The tensor in cells.
struct AccessMap : MapShape {
  struct Cell {
    int64_t elements = 0, touched = 0;
    int64_t first = -1, last = -1; ///< Positions of its first and last element.
    /// Of the element that the most programs use: how many, and the first and the last of them.
    uint32_t most = 0, firstProgram = 0, lastProgram = 0;
    std::optional<uint32_t> program; ///< If all is by the same one.
    int64_t conflicts = 0;           ///< Elements.
  };
  std::vector<Cell> cells; ///< Row by row.
};

/// A race, with what each program does where.
struct Race {
  std::string message; ///< One sentence.
  std::array<uint64_t, 3> program, other;
  std::string place, otherPlace; ///< "k.py:5:9"
  uint64_t count = 1;            ///< At the same place.
};

struct TensorAccess {
  std::string name;
  Tensor tensor;
  /// By (byte - first byte of the tensor) / element size.
  std::vector<ElementAccess> slots;
  uint64_t timesRead = 0, timesWritten = 0; ///< Lanes.
  bool isAtomic = false;                    ///< Some write is.
  std::vector<Race> races;

  const ElementAccess &at(uint64_t byte) const {
    return slots[(byte - tensor.getByteRange().first) / tensor.elementBytes()];
  }
  /// "x_ptr = float32[4, 8]"
  std::string describe() const { return name + " = " + tensor.describe(); }
};
/// How many elements are used so, and by how many programs.
struct UseCount {
  int64_t elements = 0, touched = 0, bySeveral = 0, conflicts = 0;
  uint32_t most = 0; ///< Programs of one element.
};
UseCount count(const TensorAccess &access, Use use);
/// Elements that are neither read nor written.
int64_t countUntouched(const TensorAccess &access);
AccessMap makeMap(const TensorAccess &access, Use use, MapSize size);
/// One letter for a cell: that of its program; '2' to '9' and '+': by how many programs an element
/// is used; '~' several programs, each on its own elements; '.' nobody; with `hasRaces`, '!' where
/// programs are in conflict. A space for a cell behind the end.
char getLetter(const AccessMap::Cell &cell, bool hasRaces);

/// A load, a store or an atomic operation of the source.
struct AccessSite {
  std::string file;
  unsigned line = 0, column = 0;
  std::vector<std::string> callers; ///< "k.py:20:5", innermost first.
  std::string operation;            ///< "load", "store", "atomic add"
  std::vector<size_t> tensors;      ///< That it went to.
  Shape shape;                      ///< Of its tile; empty for a scalar.
  unsigned bytes = 0;               ///< Of a lane.
  uint64_t programs = 0;
  uint64_t outside = 0; ///< Lanes that went outside of all tensors.
  Coalescing coalescing;
};

/// One execution of an access in the program that is looked at.
struct AccessTile {
  size_t site;
  uint64_t execution; ///< From 0.
  struct Lane {
    bool isOn;
    size_t tensor;    ///< SIZE_MAX: outside of all.
    int64_t position; ///< In the tensor; -1: between its elements.
  };
  std::vector<Lane> lanes; ///< Row-major.
};

/// A tile in cells.
struct TileMap : MapShape {
  struct Cell {
    int64_t lanes = 0, on = 0, outside = 0;
    int64_t first = -1, last = -1; ///< Of the tile's lanes.
  };
  std::vector<Cell> cells;
};
TileMap makeMap(const AccessTile &tile, llvm::ArrayRef<int64_t> shape, MapSize size);
/// '#' all lanes are on, '+' some, '.' none; '!' one is outside of all tensors. A space for a cell
/// behind the end.
char getLetter(const TileMap::Cell &cell);

struct Accesses {
  std::array<uint64_t, 3> grid{1, 1, 1};
  std::optional<uint64_t> program; ///< If only one is looked at.
  std::vector<TensorAccess> tensors;
  std::vector<AccessSite> sites;     ///< In order of their first execution.
  std::vector<AccessTile> tiles;     ///< Of one program; the first ones of each site.
  std::vector<std::string> findings; ///< Other mistakes, such as accesses outside of tensors.
};

} // namespace tilerun::host
