// Reductions and scans with a combine region. The region's steps run on many pairs of elements at
// once ("lanes"), so that a user's combine function costs per tile what built-in arithmetic costs.
//
// A reduction halves the axis until one element is left. Where the combination is one commutative
// operation, the second half is combined into the first, which is plain arithmetic on two buffers;
// any other keeps its operands in index order by combining neighbours. A scan by one operation goes
// along the axis; any other doubles its distance (Hillis and Steele, "Data parallel algorithms",
// 1986).
#include "backends/interpreter/Frame.h"
#include "backends/interpreter/Steps.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::interp;

namespace {

/// Which pairs of elements of an outer × axis × inner tensor are combined: lane (a, i, b) for i <
/// pairs combines element (a, i, b) with (a, i + distance, b), or where `neighbours`, (a, 2i, b)
/// with (a, 2i + 1, b).
struct Pairing {
  size_t outer, axis, inner, pairs, distance;
  bool neighbours;

  size_t lanes() const { return outer * pairs * inner; }

  /// Calls visit(element, stride, lane, count) for runs of lanes whose left elements are `stride`
  /// apart.
  template <class Visitor> void visitRuns(size_t first, size_t count, Visitor visit) const {
    const size_t perOuter = pairs * inner;
    for (size_t done = 0; done < count;) {
      const size_t lane = first + done, a = lane / perOuter, rest = lane % perOuter;
      const size_t base = a * axis * inner;
      size_t element = base + rest, run = perOuter - rest, stride = 1;
      if (neighbours && inner == 1) {
        element = base + 2 * rest;
        stride = 2;
      } else if (neighbours) {
        element = base + rest / inner * 2 * inner + rest % inner;
        run = inner - rest % inner;
      }
      run = std::min(run, count - done);
      visit(element, stride, done, run);
      done += run;
    }
  }
  size_t toRight() const { return neighbours ? inner : distance * inner; }
};

template <class T> void copyRun(const char *from, size_t fromStride, char *to, size_t n) {
  auto *source = reinterpret_cast<const T *>(from);
  auto *target = reinterpret_cast<T *>(to);
  if (fromStride == 1)
    std::memcpy(target, source, n * sizeof(T));
  else
    for (size_t i = 0; i < n; ++i)
      target[i] = source[i * fromStride];
}

void copyElements(unsigned size, const char *from, size_t fromStride, char *to, size_t n) {
  switch (size) {
  case 1:
    return copyRun<uint8_t>(from, fromStride, to, n);
  case 2:
    return copyRun<uint16_t>(from, fromStride, to, n);
  case 4:
    return copyRun<uint32_t>(from, fromStride, to, n);
  default:
    return copyRun<uint64_t>(from, fromStride, to, n);
  }
}

/// A step's numbers and slots by name.
struct Region {
  Region(Frame &frame, const Step &step)
      : frame(frame), step(step), values(step.resultTypes.size()), outer(step.numbers[0]),
        axis(step.numbers[1]), inner(step.numbers[2]), halves(step.numbers[3]),
        reverse(step.numbers[4]), maxLanes(step.numbers[5]) {}
  Frame &frame;
  const Step &step;
  const size_t values, outer, axis, inner;
  const bool halves, reverse;
  const size_t maxLanes;

  char *input(size_t k) const { return frame.at(step.operands[k]); }
  char *accumulated(size_t k) const { return frame.at(step.operands[values + k]); }
  char *next(size_t k) const { return frame.at(step.operands[2 * values + k]); }
  char *yielded(size_t k) const { return frame.at(step.operands[3 * values + k]); }
  char *output(size_t k) const { return frame.at(step.results[k]); }
  char *work(size_t k) const { return frame.at(step.results[values + k]); }
  unsigned size(size_t k) const { return sizeOf(step.resultTypes[k]); }

  /// A plain launch may call the one operation directly instead of running the region.
  bool isDirect() const { return step.kernel && !frame.checker; }

  /// Combines lanes [first, first + count) of `data`; the results replace the left elements
  /// (packed, where neighbours) or the right ones.
  void combine(const Pairing &pairing, size_t first, size_t count, bool intoRight,
               llvm::function_ref<char *(size_t)> data) const {
    for (size_t k = 0; k < values; ++k) {
      const unsigned bytes = size(k);
      const char *from = data(k);
      pairing.visitRuns(first, count, [&](size_t element, size_t stride, size_t lane, size_t n) {
        copyElements(bytes, from + element * bytes, stride, accumulated(k) + lane * bytes, n);
        copyElements(bytes, from + (element + pairing.toRight()) * bytes, stride,
                     next(k) + lane * bytes, n);
      });
    }
    const size_t outerLanes = std::exchange(frame.lanes, count);
    frame.exec(step.blocks[0]);
    frame.lanes = outerLanes;
    if (frame.stopped)
      return;
    Pairing target = pairing; // Results lie where left elements at distance 1 would.
    target.neighbours = false;
    const size_t offset = intoRight ? pairing.toRight() : 0;
    for (size_t k = 0; k < values; ++k) {
      const unsigned bytes = size(k);
      char *to = data(k);
      target.visitRuns(first, count, [&](size_t element, size_t, size_t lane, size_t n) {
        std::memcpy(to + (element + offset) * bytes, yielded(k) + lane * bytes, n * bytes);
      });
    }
  }
};

} // namespace

void interp::runReduce(Frame &frame, const Step &step) {
  const Region region(frame, step);
  const size_t total = region.outer * region.axis * region.inner;
  for (size_t k = 0; k < region.values; ++k)
    std::memcpy(region.work(k), region.input(k), total * region.size(k));

  for (size_t left = region.axis; left > 1;) {
    const size_t kept = (left + 1) / 2, pairs = left / 2;
    if (region.halves && region.isDirect()) {
      const size_t bytes = region.size(0);
      for (size_t a = 0; a < region.outer; ++a) {
        char *first = region.work(0) + a * region.axis * region.inner * bytes;
        const char *in[] = {first, first + kept * region.inner * bytes};
        step.kernel.apply(in, &first, pairs * region.inner);
      }
    } else {
      const Pairing pairing{region.outer, region.axis, region.inner, pairs, kept, !region.halves};
      for (size_t lane = 0; lane < pairing.lanes(); lane += region.maxLanes) {
        region.combine(pairing, lane, std::min(region.maxLanes, pairing.lanes() - lane), false,
                       [&](size_t k) { return region.work(k); });
        if (frame.stopped)
          return;
      }
      if (pairing.neighbours && left % 2 == 1) // The last one has no neighbour and moves up.
        for (size_t k = 0; k < region.values; ++k)
          for (size_t a = 0; a < region.outer; ++a) {
            const size_t row = region.inner * region.size(k);
            char *base = region.work(k) + a * region.axis * row;
            std::memmove(base + pairs * row, base + (left - 1) * row, row);
          }
    }
    left = kept;
  }

  for (size_t k = 0; k < region.values; ++k) {
    const size_t row = region.inner * region.size(k);
    for (size_t a = 0; a < region.outer; ++a)
      std::memcpy(region.output(k) + a * row, region.work(k) + a * region.axis * row, row);
  }
}

/// Copies all elements, with the axis turned around.
static void copyReversed(const Region &region, size_t k, const char *from, char *to) {
  const size_t row = region.inner * region.size(k);
  for (size_t a = 0; a < region.outer; ++a)
    for (size_t i = 0; i < region.axis; ++i)
      std::memcpy(to + (a * region.axis + i) * row,
                  from + (a * region.axis + region.axis - 1 - i) * row, row);
}

void interp::runScan(Frame &frame, const Step &step) {
  const Region region(frame, step);
  const size_t total = region.outer * region.axis * region.inner;
  auto copy = [&](size_t k, const char *from, char *to) {
    if (region.reverse)
      copyReversed(region, k, from, to);
    else
      std::memcpy(to, from, total * region.size(k));
  };
  for (size_t k = 0; k < region.values; ++k)
    copy(k, region.input(k), region.work(k));
  auto data = [&](size_t k) { return region.work(k); };

  if (region.isDirect()) {
    const size_t row = region.inner * region.size(0);
    for (size_t a = 0; a < region.outer; ++a)
      for (size_t i = 1; i < region.axis; ++i) {
        char *current = region.work(0) + (a * region.axis + i) * row;
        const char *in[] = {current - row, current};
        step.kernel.apply(in, &current, region.inner);
      }
  } else if (step.kernel) {
    // The same order of operations, through the region.
    for (size_t a = 0; a < region.outer; ++a)
      for (size_t i = 1; i < region.axis; ++i) {
        const size_t before = (a * region.axis + i - 1) * region.inner * region.size(0);
        const Pairing row{1, 2, region.inner, 1, 1, false};
        for (size_t lane = 0; lane < row.lanes() && !frame.stopped; lane += region.maxLanes)
          region.combine(row, lane, std::min(region.maxLanes, row.lanes() - lane), true,
                         [&](size_t k) { return region.work(k) + before; });
      }
  } else {
    for (size_t distance = 1; distance < region.axis; distance *= 2) {
      const Pairing pairing{region.outer,           region.axis, region.inner,
                            region.axis - distance, distance,    false};
      // From the end, so that every left element still has its old value.
      for (size_t left = pairing.lanes(); left && !frame.stopped;) {
        const size_t count = std::min(region.maxLanes, left);
        left -= count;
        region.combine(pairing, left, count, true, data);
      }
    }
  }
  if (frame.stopped)
    return;
  for (size_t k = 0; k < region.values; ++k)
    copy(k, region.work(k), region.output(k));
}

void interp::runMap(Frame &frame, const Step &step) {
  const size_t inputs = step.numbers[0], total = step.numbers[1], lanes = step.numbers[2];
  for (size_t first = 0; first < total; first += lanes) {
    const size_t count = std::min(lanes, total - first);
    for (size_t k = 0; k < inputs; ++k) {
      const unsigned bytes = sizeOf(step.operandTypes[k]);
      std::memcpy(frame.at(step.operands[inputs + k]), frame.at(step.operands[k]) + first * bytes,
                  count * bytes);
    }
    const size_t outerLanes = std::exchange(frame.lanes, count);
    frame.exec(step.blocks[0]);
    frame.lanes = outerLanes;
    if (frame.stopped)
      return;
    for (size_t k = 0; k < step.resultTypes.size(); ++k) {
      const unsigned bytes = sizeOf(step.resultTypes[k]);
      std::memcpy(frame.at(step.results[k]) + first * bytes,
                  frame.at(step.operands[2 * inputs + k]), count * bytes);
    }
  }
}
