// How the addresses of a tile's lanes lie in memory: runs, the sectors and lines that warps touch,
// and whether several lanes fit one access.
//
// Counted on warps of 32 consecutive lanes of the tile, along its fastest dimension first: the one
// along which the most lanes follow each other in memory. A compiler may give a thread several
// neighbours; whether lanes lie together is the same then.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilerun::host {

/// The addresses of one execution of an access.
struct Lanes {
  llvm::ArrayRef<uint64_t> addresses; ///< Row-major; only those of lanes that are on count.
  const uint8_t *mask;                ///< Null: all lanes are on.
  llvm::ArrayRef<int64_t> shape;      ///< Empty for a scalar.
  unsigned bytes;                     ///< Of a lane: 1, 2, 4 or 8.
  bool isOn(size_t lane) const { return !mask || mask[lane]; }
};

/// All executions of an access.
class Coalescing {
public:
  static constexpr unsigned kWarp = 32, kSector = 32, kLine = 128, kVector = 16;

  /// How many units of memory warps touch, and would if the bytes that they use lay together.
  struct Touched {
    uint64_t units = 0, least = 0;
    double getEfficiency() const { return units ? double(least) / double(units) : 1; }
  };
  /// One warp: how many bytes it uses of each sector that it touches, by address.
  struct Warp {
    struct Sector {
      uint64_t address;
      unsigned bytes;
    };
    std::vector<Sector> sectors;
    uint64_t least = 0; ///< Sectors.
    unsigned lanes = 0;
    uint64_t execution = 0; ///< Which one it is of, from 0.
  };

  void add(const Lanes &lanes);

  uint64_t getNumExecutions() const { return executions; }
  uint64_t getNumLanes() const { return lanes; }
  uint64_t getNumOff() const { return off; } ///< Masked off.
  /// Dimensions of the tile, the fastest first; of a scalar, none.
  llvm::ArrayRef<unsigned> getOrder() const { return order; }
  /// Lanes of a row that follow each other in memory.
  struct Runs {
    uint64_t count = 0, shortest = 0, longest = 0;
  };
  const Runs &getRuns() const { return runs; }
  /// A power of two, at most kLine, that divides the addresses where runs begin.
  unsigned getAlignment() const;
  uint64_t getNumWarps() const { return warps; } ///< With a lane that is on.
  const Touched &getSectors() const { return sectors; }
  const Touched &getLines() const { return lines; }
  /// Groups of neighbours that take kVector bytes, with a lane that is on, and those of them that
  /// one aligned access of kVector bytes can be.
  uint64_t getNumVectors() const { return vectors; }
  uint64_t getNumPossibleVectors() const { return possibleVectors; }
  /// The warp with the lowest efficiency, the first of several; none if no lane was ever on.
  const std::optional<Warp> &getWorst() const { return worst; }

private:
  void chooseOrder(const Lanes &lanes);
  void addWarp(const Lanes &lanes, llvm::ArrayRef<uint32_t> members);
  void addRuns(const Lanes &lanes, llvm::ArrayRef<uint32_t> row);
  void addVectors(const Lanes &lanes, llvm::ArrayRef<uint32_t> row);
  void endRun(uint64_t begin, uint64_t length);

  llvm::SmallVector<unsigned> order;
  bool isOrderKnown = false;
  std::vector<uint32_t> permuted; ///< Lanes in that order.
  uint64_t executions = 0, lanes = 0, off = 0, warps = 0, vectors = 0, possibleVectors = 0;
  Runs runs;
  uint64_t beginnings = 0; ///< Or of the addresses where runs begin.
  Touched sectors, lines;
  std::optional<Warp> worst;
};

} // namespace tilerun::host
