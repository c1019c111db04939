// The algebra of linear layouts. Names are resolved here; the arithmetic is BitMatrix's.
#include "ir/layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilerun::layout;
using llvm::ArrayRef;
using llvm::StringRef;

std::string tilerun::layout::dimName(unsigned index) { return "dim" + std::to_string(index); }

//===- Construction -------------------------------------------------------===//

LinearLayout::LinearLayout(DimList ins, DimList outs, ArrayRef<uint64_t> bases)
    : ins(std::move(ins)), outs(std::move(outs)), bases(bases.begin(), bases.end()) {
  assert(bases.size() == totalBits(this->ins) && "one basis vector per input bit");
  assert(bases.size() <= kMaxBits && totalOutBits() <= kMaxBits && "at most 64 bits a side");
  for ([[maybe_unused]] uint64_t basis : bases)
    assert((basis & ~lowMask(totalOutBits())) == 0 && "a basis vector outside the outputs");
#ifndef NDEBUG
  for (const DimList &dims : {this->ins, this->outs})
    for (const auto &[i, dim] : llvm::enumerate(dims)) {
      assert(dim.bits < kMaxBits && "at most 63 bits in one dimension");
      assert(find(dims, dim.name) == &dim && "names are distinct");
    }
#endif
}

llvm::Expected<LinearLayout> LinearLayout::create(ArrayRef<Input> inputs, ArrayRef<Dim> outs) {
  auto error = [](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  uint64_t outBits = 0;
  for (const Dim &dim : outs) {
    if (find(outs, dim.name) != &dim)
      return error("output dimension '" + dim.name + "' is listed twice");
    if (dim.bits >= kMaxBits)
      return error("output dimension '" + dim.name + "' has more than 63 bits");
    outBits += dim.bits;
  }
  if (outBits > kMaxBits)
    return error("the outputs have " + llvm::Twine(outBits) + " bits, the limit is 64");

  DimList ins;
  BitVectors bases;
  for (const Input &input : inputs) {
    if (find(ins, input.name))
      return error("input dimension '" + input.name + "' is listed twice");
    if (input.bases.size() >= kMaxBits)
      return error("input dimension '" + input.name + "' has more than 63 bits");
    ins.emplace_back(input.name, static_cast<unsigned>(input.bases.size()));
    for (const auto &basis : input.bases) {
      if (bases.size() == kMaxBits)
        return error("the inputs have more than 64 bits");
      if (basis.size() != outs.size())
        return error("a basis vector of '" + input.name + "' has " + llvm::Twine(basis.size()) +
                     " coordinates for " + llvm::Twine(outs.size()) + " output dimensions");
      for (auto [coordinate, dim] : llvm::zip(basis, outs))
        if (coordinate >= dim.size())
          return error("coordinate " + llvm::Twine(coordinate) + " of a basis vector of '" +
                       input.name + "' is outside output dimension '" + dim.name + "' of size " +
                       llvm::Twine(dim.size()));
      bases.push_back(pack(outs, basis));
    }
  }
  return LinearLayout(std::move(ins), DimList(outs), bases);
}

LinearLayout LinearLayout::identity1D(unsigned bits, StringRef in, StringRef out) {
  return LinearLayout({Dim(in, bits)}, {Dim(out, bits)}, BitMatrix::identity(bits).getColumns());
}

LinearLayout LinearLayout::zeros1D(unsigned bits, StringRef in, StringRef out, unsigned outBits) {
  return LinearLayout({Dim(in, bits)}, {Dim(out, outBits)}, BitVectors(bits, 0));
}

//===- Dimensions and bases -----------------------------------------------===//

const Dim *LinearLayout::find(ArrayRef<Dim> dims, StringRef name) {
  for (const Dim &dim : dims)
    if (dim.name == name)
      return &dim;
  return nullptr;
}

bool LinearLayout::hasIn(StringRef name) const { return find(ins, name) != nullptr; }
bool LinearLayout::hasOut(StringRef name) const { return find(outs, name) != nullptr; }

unsigned LinearLayout::inBits(StringRef name) const {
  const Dim *dim = find(ins, name);
  return dim ? dim->bits : 0;
}

unsigned LinearLayout::outBits(StringRef name) const {
  const Dim *dim = find(outs, name);
  return dim ? dim->bits : 0;
}

unsigned LinearLayout::shiftOf(ArrayRef<Dim> dims, StringRef name) {
  unsigned shift = 0;
  for (const Dim &dim : dims) {
    if (dim.name == name)
      return shift;
    shift += dim.bits;
  }
  assert(false && "no such dimension");
  return shift;
}

ArrayRef<uint64_t> LinearLayout::getBases(StringRef in) const {
  if (!hasIn(in))
    return {};
  return ArrayRef<uint64_t>(bases).slice(inShift(in), inBits(in));
}

// Shifts by 64 are undefined, and a dimension of 0 bits can sit at position 64.
static uint64_t shiftRight(uint64_t v, unsigned by) { return by < kMaxBits ? v >> by : 0; }
static uint64_t shiftLeft(uint64_t v, unsigned by) { return by < kMaxBits ? v << by : 0; }

uint64_t LinearLayout::getBasis(StringRef in, unsigned bit, StringRef out) const {
  assert(bit < inBits(in) && "no such bit");
  return shiftRight(getBases(in)[bit], outShift(out)) & lowMask(outBits(out));
}

llvm::SmallVector<uint64_t, 4> LinearLayout::unpack(ArrayRef<Dim> dims, uint64_t flat) {
  llvm::SmallVector<uint64_t, 4> result;
  for (const Dim &dim : dims) {
    result.push_back(flat & lowMask(dim.bits));
    flat = shiftRight(flat, dim.bits);
  }
  return result;
}

uint64_t LinearLayout::pack(ArrayRef<Dim> dims, ArrayRef<uint64_t> coordinates) {
  assert(dims.size() == coordinates.size() && "one coordinate per dimension");
  uint64_t flat = 0;
  unsigned shift = 0;
  for (auto [dim, coordinate] : llvm::zip(dims, coordinates)) {
    assert(coordinate < dim.size() && "a coordinate outside its dimension");
    flat |= shiftLeft(coordinate, shift);
    shift += dim.bits;
  }
  return flat;
}

unsigned LinearLayout::totalBits(ArrayRef<Dim> dims) {
  unsigned bits = 0;
  for (const Dim &dim : dims)
    bits += dim.bits;
  return bits;
}

uint64_t LinearLayout::repack(ArrayRef<Dim> from, ArrayRef<Dim> target, uint64_t flat) {
  uint64_t result = 0;
  for (const Dim &dim : target)
    if (const Dim *source = find(from, dim.name)) {
      uint64_t value = shiftRight(flat, shiftOf(from, dim.name)) & lowMask(source->bits);
      result |= shiftLeft(value & lowMask(dim.bits), shiftOf(target, dim.name));
    }
  return result;
}

//===- Application and composition ----------------------------------------===//

uint64_t LinearLayout::applyFlat(uint64_t input) const {
  assert((input & ~lowMask(totalInBits())) == 0 && "a flat index outside the inputs");
  uint64_t result = 0;
  for (; input; input &= input - 1)
    result ^= bases[std::countr_zero(input)];
  return result;
}

llvm::SmallVector<uint64_t, 4> LinearLayout::apply(ArrayRef<uint64_t> coordinates) const {
  return unpack(outs, applyFlat(pack(ins, coordinates)));
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outs.size() == outer.ins.size() && "outputs and inputs to chain");
  for ([[maybe_unused]] const Dim &dim : outs)
    assert(outer.hasIn(dim.name) && dim.bits <= outer.inBits(dim.name) && "outputs must fit");
  BitVectors result;
  for (uint64_t basis : bases)
    result.push_back(outer.applyFlat(repack(outs, outer.ins, basis)));
  return LinearLayout(ins, outer.outs, result);
}

std::optional<LinearLayout> LinearLayout::invert() const {
  std::optional<BitMatrix> inverse = getMatrix().inverse();
  if (!inverse)
    return std::nullopt;
  return LinearLayout(outs, ins, inverse->getColumns());
}

LinearLayout LinearLayout::pseudoInvert() const {
  return LinearLayout(outs, ins, getMatrix().pseudoInverse().getColumns());
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &other) const {
  assert(outs.size() == other.outs.size() && "the same outputs");
  for ([[maybe_unused]] const Dim &dim : outs)
    assert(other.hasOut(dim.name) && other.outBits(dim.name) == dim.bits && "the same outputs");
  BitMatrix matrix = other.getMatrix(), inverse = matrix.pseudoInverse();
  BitVectors result;
  for (uint64_t basis : bases) {
    uint64_t element = repack(outs, other.outs, basis);
    result.push_back(inverse.apply(element));
    if (matrix.apply(result.back()) != element)
      return std::nullopt;
  }
  return LinearLayout(ins, other.ins, result);
}

//===- Products and quotients ---------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &right) const {
  auto merge = [](DimList left, ArrayRef<Dim> more) {
    for (const Dim &dim : more) {
      auto *it = llvm::find_if(left, [&](const Dim &d) { return d.name == dim.name; });
      if (it == left.end())
        left.push_back(dim);
      else
        it->bits += dim.bits;
    }
    return left;
  };
  DimList newIns = merge(ins, right.ins), newOuts = merge(outs, right.outs);
  BitVectors result;
  for (const Dim &in : newIns) {
    for (uint64_t basis : getBases(in.name))
      result.push_back(repack(outs, newOuts, basis));
    for (uint64_t basis : right.getBases(in.name)) {
      uint64_t moved = 0;
      for (const Dim &out : right.outs) {
        uint64_t value = shiftRight(basis, right.outShift(out.name)) & lowMask(out.bits);
        moved |= shiftLeft(value, shiftOf(newOuts, out.name) + outBits(out.name));
      }
      result.push_back(moved);
    }
  }
  return LinearLayout(newIns, newOuts, result);
}

std::optional<LinearLayout> LinearLayout::divide(const LinearLayout &factor, bool left) const {
  auto shrink = [](DimList dims, ArrayRef<Dim> by) -> std::optional<DimList> {
    for (const Dim &dim : by) {
      auto *it = llvm::find_if(dims, [&](const Dim &d) { return d.name == dim.name; });
      if (it == dims.end() || it->bits < dim.bits)
        return std::nullopt;
      it->bits -= dim.bits;
    }
    return dims;
  };
  std::optional<DimList> newIns = shrink(ins, factor.ins), newOuts = shrink(outs, factor.outs);
  if (!newIns || !newOuts)
    return std::nullopt;
  // Read the quotient's block off the matrix; multiplying back then checks all the other blocks.
  BitVectors quotient;
  for (const Dim &in : *newIns)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      unsigned skip = left ? factor.inBits(in.name) : 0;
      uint64_t basis = getBases(in.name)[bit + skip], moved = 0;
      for (const Dim &out : *newOuts) {
        unsigned low = outShift(out.name) + (left ? factor.outBits(out.name) : 0);
        moved |= shiftLeft(shiftRight(basis, low) & lowMask(out.bits), shiftOf(*newOuts, out.name));
      }
      quotient.push_back(moved);
    }
  LinearLayout result(*newIns, *newOuts, quotient);
  if (!isSameMap(left ? factor * result : result * factor))
    return std::nullopt;
  return result;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &factor) const {
  return divide(factor, /*left=*/true);
}

std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &factor) const {
  return divide(factor, /*left=*/false);
}

LinearLayout LinearLayout::concatIns(const LinearLayout &other) const {
  assert(outs == other.outs && "the same outputs in the same order");
  DimList newIns = ins;
  newIns.append(other.ins.begin(), other.ins.end());
  BitVectors result = bases;
  result.append(other.bases.begin(), other.bases.end());
  return LinearLayout(newIns, outs, result);
}

LinearLayout LinearLayout::concatOuts(const LinearLayout &other) const {
  assert(ins == other.ins && "the same inputs in the same order");
  DimList newOuts = outs;
  newOuts.append(other.outs.begin(), other.outs.end());
  BitVectors result;
  for (auto [low, high] : llvm::zip(bases, other.bases))
    result.push_back(low | shiftLeft(high, totalOutBits()));
  return LinearLayout(ins, newOuts, result);
}

//===- Changing dimensions ------------------------------------------------===//

LinearLayout LinearLayout::restrictIns(Names names) const {
  DimList newIns;
  BitVectors result;
  for (StringRef name : names) {
    assert(hasIn(name) && "no such input dimension");
    newIns.emplace_back(name, inBits(name));
    llvm::append_range(result, getBases(name));
  }
  return LinearLayout(newIns, outs, result);
}

LinearLayout LinearLayout::projectOuts(Names names) const {
  DimList newOuts;
  for (StringRef name : names) {
    assert(hasOut(name) && "no such output dimension");
    newOuts.emplace_back(name, outBits(name));
  }
  BitVectors result;
  for (uint64_t basis : bases)
    result.push_back(repack(outs, newOuts, basis));
  return LinearLayout(ins, newOuts, result);
}

LinearLayout LinearLayout::sublayout(Names inNames, Names outNames) const {
  return restrictIns(inNames).projectOuts(outNames);
}

LinearLayout LinearLayout::transposeIns(Names names) const {
  assert(names.size() == ins.size() && "a permutation of the names");
  return restrictIns(names);
}

LinearLayout LinearLayout::transposeOuts(Names names) const {
  assert(names.size() == outs.size() && "a permutation of the names");
  return projectOuts(names);
}

LinearLayout LinearLayout::reshapeIns(ArrayRef<Dim> dims) const {
  return LinearLayout(DimList(dims), outs, bases);
}

LinearLayout LinearLayout::reshapeOuts(ArrayRef<Dim> dims) const {
  assert(totalBits(dims) == totalOutBits() && "the same number of bits");
  return LinearLayout(ins, DimList(dims), bases);
}

static DimList renamed(ArrayRef<Dim> dims, StringRef from, StringRef to) {
  DimList result(dims);
  for (Dim &dim : result)
    if (dim.name == from)
      dim.name = to.str();
  return result;
}

LinearLayout LinearLayout::renameIn(StringRef from, StringRef to) const {
  return LinearLayout(renamed(ins, from, to), outs, bases);
}

LinearLayout LinearLayout::renameOut(StringRef from, StringRef to) const {
  return LinearLayout(ins, renamed(outs, from, to), bases);
}

static DimList resized(ArrayRef<Dim> dims, StringRef name, unsigned bits) {
  DimList result(dims);
  for (Dim &dim : result)
    if (dim.name == name) {
      dim.bits = bits;
      return result;
    }
  result.emplace_back(name, bits);
  return result;
}

LinearLayout LinearLayout::resizeIn(StringRef name, unsigned bits) const {
  DimList newIns = resized(ins, name, bits);
  BitVectors result;
  for (const Dim &dim : newIns) {
    ArrayRef<uint64_t> old = getBases(dim.name);
    for (unsigned bit = 0; bit < dim.bits; ++bit)
      result.push_back(bit < old.size() ? old[bit] : 0);
  }
  return LinearLayout(newIns, outs, result);
}

LinearLayout LinearLayout::resizeOut(StringRef name, unsigned bits) const {
  DimList newOuts = resized(outs, name, bits);
  BitVectors result;
  for (uint64_t basis : bases)
    result.push_back(repack(outs, newOuts, basis));
  return LinearLayout(ins, newOuts, result);
}

//===- Questions ----------------------------------------------------------===//

llvm::SmallVector<uint64_t, 4> LinearLayout::freeVariableMasks() const {
  // A bit leads a vector of the kernel iff its basis vector depends on lower bits'.
  return unpack(ins, kernel().leadingBits());
}

uint64_t LinearLayout::freeVariableMask(StringRef in) const {
  if (!hasIn(in))
    return 0;
  return shiftRight(kernel().leadingBits(), inShift(in)) & lowMask(inBits(in));
}

bool LinearLayout::isSameMap(const LinearLayout &other) const {
  auto sameDims = [](ArrayRef<Dim> a, ArrayRef<Dim> b) {
    return a.size() == b.size() && llvm::all_of(a, [&](const Dim &dim) {
             const Dim *match = find(b, dim.name);
             return match && match->bits == dim.bits;
           });
  };
  if (!sameDims(ins, other.ins) || !sameDims(outs, other.outs))
    return false;
  for (const Dim &in : ins)
    for (auto [mine, theirs] : llvm::zip(getBases(in.name), other.getBases(in.name)))
      if (mine != repack(other.outs, outs, theirs))
        return false;
  return true;
}

llvm::hash_code tilerun::layout::hash_value(const LinearLayout &layout) {
  auto hashDims = [](ArrayRef<Dim> dims) {
    llvm::hash_code hash(dims.size());
    for (const Dim &dim : dims)
      hash = llvm::hash_combine(hash, dim.name, dim.bits);
    return hash;
  };
  return llvm::hash_combine(hashDims(layout.ins), hashDims(layout.outs),
                            llvm::hash_combine_range(layout.bases.begin(), layout.bases.end()));
}
