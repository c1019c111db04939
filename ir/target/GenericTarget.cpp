// See GenericTarget.h.
#include "ir/target/GenericTarget.h"
#include "ir/layout/Fragments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace tilerun;
using namespace tilerun::target;
using layout::LinearLayout;
using llvm::StringRef;
using llvm::Twine;

static constexpr llvm::StringLiteral kPrefix("generic:");

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

namespace {
/// The values of a number.
struct Range {
  uint64_t least, most;
  bool isPowerOfTwo;
};

/// The words of a target with references to its fields. Each field is bound by name, so that a new
/// one does not compile until it has a word.
template <typename Target, typename OnNumber, typename OnFlag>
void forEachWord(Target &target, OnNumber number, OnFlag flag) {
  auto &[name, warpSize, maxThreads, maxVectorBytes, sharedMemoryBytes, hasShuffle, hasAsyncCopy,
         copiesFollowLanes, hasLoadMatrix, hasTransposedRead, countsFlightAsStage, registers,
         unitRegisters, unitThreads, unitCacheBytes, mostStepsOfRead, hasDotBytes, readsFloat8,
         roundsToFloat8, hasUnsignedZeros8, assembler, hasGridDependency, hasEvictionPolicies,
         vectorSumBytes, hasRoles, roleRegisters, hasBoxCopies, maxBlocks, hasTurns, matrixUnits,
         sharedModel, exchange, matrixInstructions, warpGroupInstructions] = target;
  auto &[shuffleCost, selectCost, wavefrontCost, barrierCost] = exchange;
  auto &[banks, bankBytes, sharedVector] = sharedModel;
  constexpr uint64_t kCost = 1 << 20; // more than any cost makes sense
  number("lanes", warpSize, Range{1, 128, true});
  number("threads", maxThreads, Range{1, 65536, false});
  number("vector", maxVectorBytes, Range{1, 64, true});
  number("shared", sharedMemoryBytes, Range{0, uint64_t(1) << 30, false});
  number("registers", registers, Range{0, 1024, false});
  number("unit-registers", unitRegisters, Range{0, 1 << 20, false});
  number("unit-cache", unitCacheBytes, Range{0, 1 << 30, false});
  number("unit-threads", unitThreads, Range{0, 1 << 16, false});
  number("steps-of-read", mostStepsOfRead, Range{1, 16, true});
  flag("shuffle", hasShuffle);
  flag("async", hasAsyncCopy);
  flag("copies-follow-lanes", copiesFollowLanes);
  flag("load-matrix", hasLoadMatrix);
  flag("transposed-read", hasTransposedRead);
  flag("flight-is-stage", countsFlightAsStage);
  flag("dot-bytes", hasDotBytes);
  flag("reads-float8", readsFloat8);
  flag("rounds-to-float8", roundsToFloat8);
  flag("float8-fnuz", hasUnsignedZeros8);
  flag("grid-dependency", hasGridDependency);
  flag("eviction-policies", hasEvictionPolicies);
  number("vector-sum", vectorSumBytes, Range{0, 64, false});
  flag("roles", hasRoles);
  number("role-registers", roleRegisters, Range{0, 65536, false});
  flag("box-copies", hasBoxCopies);
  number("blocks", maxBlocks, Range{1, 8, true});
  flag("turns", hasTurns);
  number("matrix-units", matrixUnits, Range{0, 128, false});
  number("banks", banks, Range{1, 1024, true});
  number("bank-bytes", bankBytes, Range{1, 64, true});
  // Not below the largest element: an access is of whole elements.
  number("shared-vector", sharedVector, Range{8, 64, true});
  number("shuffle-cost", shuffleCost, Range{0, kCost, false});
  number("select-cost", selectCost, Range{0, kCost, false});
  number("wavefront-cost", wavefrontCost, Range{0, kCost, false});
  number("barrier-cost", barrierCost, Range{0, kCost, false});
  (void)name, (void)assembler, (void)matrixInstructions, (void)warpGroupInstructions;
}
} // namespace

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Cuts text at `separator`, but not inside brackets, which layouts have.
static llvm::SmallVector<StringRef> splitOutside(StringRef text, char separator) {
  llvm::SmallVector<StringRef> parts;
  int depth = 0;
  size_t start = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (StringRef("([{").contains(c))
      ++depth;
    else if (StringRef(")]}").contains(c))
      --depth;
    else if (c == separator && depth == 0) {
      parts.push_back(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

/// Without it, splitOutside would take a bracket too many for text around all that follows.
static bool hasMatchingBrackets(StringRef text) {
  std::string open;
  for (char c : text) {
    if (size_t kind = StringRef("([{").find(c); kind != StringRef::npos) {
      open += ")]}"[kind];
    } else if (StringRef(")]}").contains(c)) {
      if (open.empty() || open.back() != c)
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

/// A layout of a fragment of rows × columns (0: any number), by its name or as text.
static llvm::Expected<LinearLayout> parseFragment(StringRef text, unsigned rows, unsigned columns,
                                                  unsigned lanes) {
  LinearLayout layout;
  const auto *known = llvm::find_if(
      layout::allFragments(), [&](const layout::FragmentInfo &info) { return info.name == text; });
  if (known != layout::allFragments().end()) {
    layout = layout::fragmentLayout(known->kind);
  } else if (text.starts_with("{")) {
    llvm::Expected<LinearLayout> parsed = LinearLayout::parse(text);
    if (!parsed)
      return makeError("layout '" + text + "': " + llvm::toString(parsed.takeError()));
    layout = std::move(*parsed);
  } else {
    return makeError("'" + text +
                     "' is neither a fragment of ir/layout/Fragments.def nor a layout");
  }
  auto hasSize = [&](unsigned dim, unsigned size) {
    std::string name = layout::dimName(dim);
    return layout.hasOut(name) && uint64_t(1) << layout.outBits(name) == size;
  };
  if (layout.getOuts().size() != 2 || !hasSize(0, rows) || (columns && !hasSize(1, columns)))
    return makeError("layout '" + text + "' is not of " + Twine(rows) +
                     (columns ? " x " + Twine(columns) + " elements" : Twine(" rows")));
  if (layout.getIns().size() != 2 || !layout.hasIn(layout::kRegister) ||
      !layout.hasIn(layout::kLane) || uint64_t(1) << layout.inBits(layout::kLane) != lanes)
    return makeError("layout '" + text + "' is not over registers and " + Twine(lanes) + " lanes");
  return layout;
}

static llvm::Error parseSizes(StringRef text, llvm::ArrayRef<StringRef> sizes,
                              llvm::ArrayRef<unsigned *> numbers) {
  for (auto [size, number] : llvm::zip(sizes, numbers))
    if (size.getAsInteger(10, *number) || !llvm::isPowerOf2_32(*number) || *number > 1024)
      return makeError("'" + text + "' is not three powers of two up to 1024");
  return llvm::Error::success();
}

static llvm::Error parseElements(llvm::ArrayRef<StringRef> names,
                                 llvm::ArrayRef<MatrixElement *> elements) {
  for (auto [name, element] : llvm::zip(names, elements)) {
    auto known = parseElement(name);
    if (!known) {
      std::string list;
#define X(enumerator, itsName, bytes) list += (list.empty() ? "" : ", ") + std::string(itsName);
      TILERUN_MATRIX_ELEMENTS(X)
#undef X
      return makeError("'" + name + "' is not an element type; element types are " + list);
    }
    *element = *known;
  }
  return llvm::Error::success();
}

static llvm::Expected<MatrixInstruction> parseMatrix(StringRef text, unsigned lanes) {
  llvm::SmallVector<StringRef> parts = splitOutside(text, ':'), sizes;
  if (parts.size() > 1)
    parts[1].split(sizes, 'x');
  bool isOpaque = parts[0] == "opaque";
  MatrixInstruction row;
  row.name = parts[0].str();
  unsigned expected = isOpaque ? 5 : 8;
  if (StringRef last = parts.back();
      !isOpaque && last.consume_front("cycles=") && !last.getAsInteger(10, row.cycles))
    parts.pop_back();
  row.isImprecise = !isOpaque && parts.size() == 9 && parts[8] == "imprecise";
  row.isScaled = !isOpaque && parts.size() == 9 && parts[8] == "scaled";
  if (sizes.size() != 3 || parts.size() != expected + row.isImprecise + row.isScaled)
    return makeError("it must be NAME:MxNxK:A:B:ACC:LAYOUTA:LAYOUTB:LAYOUTD[:imprecise|:scaled]"
                     "[:cycles=N] or opaque:MxNxK:A:B:ACC");
  if (llvm::Error error = parseSizes(parts[1], sizes, {&row.m, &row.n, &row.k}))
    return std::move(error);
  if (llvm::Error error = parseElements({parts[2], parts[3], parts[4]}, {&row.a, &row.b, &row.acc}))
    return std::move(error);
  if (isOpaque) {
    auto opaque = opaqueInstruction(row.a, row.b, row.acc, row.m, row.n, row.k, lanes);
    if (!opaque)
      return makeError("no opaque instruction of these types and sizes is possible with " +
                       Twine(lanes) + " lanes");
    return *opaque;
  }
  std::tuple<StringRef, LinearLayout *, unsigned, unsigned> layouts[] = {
      {parts[5], &row.aLayout, row.m, row.k},
      {parts[6], &row.bLayout, row.k, row.n},
      {parts[7], &row.dLayout, row.m, row.n}};
  for (auto [name, layout, rows, columns] : layouts) {
    llvm::Expected<LinearLayout> parsed = parseFragment(name, rows, columns, lanes);
    if (!parsed)
      return parsed.takeError();
    *layout = std::move(*parsed);
  }
  return row;
}

static llvm::Expected<WarpGroupInstruction> parseWarpGroup(StringRef text, unsigned lanes) {
  llvm::SmallVector<StringRef> parts = splitOutside(text, ':'), sizes;
  if (parts.size() > 2)
    parts[2].split(sizes, 'x');
  WarpGroupInstruction row;
  row.isImprecise = parts.size() > 8 && parts.back() == "imprecise";
  row.takesAnyOrder = parts.size() > 8 && parts[8] == "any-order";
  if (sizes.size() != 3 || parts.size() != 8u + row.takesAnyOrder + row.isImprecise)
    return makeError("it must be NAME:WARPS:MxNxK:A:B:ACC:LAYOUTA:LAYOUTD[:any-order][:imprecise]");
  row.name = parts[0].str();
  if (parts[1].getAsInteger(10, row.warps) || !llvm::isPowerOf2_32(row.warps) || row.warps > 32)
    return makeError("'" + parts[1] + "' is not a number of warps: use a power of two up to 32");
  if (llvm::Error error = parseSizes(parts[2], sizes, {&row.m, &row.n, &row.k}))
    return std::move(error);
  if (llvm::Error error = parseElements({parts[3], parts[4], parts[5]}, {&row.a, &row.b, &row.acc}))
    return std::move(error);
  if (row.m < row.warps)
    return makeError(Twine(row.m) + " rows are fewer than warps");
  std::tuple<StringRef, LinearLayout *, unsigned> layouts[] = {{parts[6], &row.aLayout, row.k},
                                                               {parts[7], &row.dLayout, 0}};
  for (auto [name, layout, columns] : layouts) {
    llvm::Expected<LinearLayout> parsed = parseFragment(name, row.m / row.warps, columns, lanes);
    if (!parsed)
      return parsed.takeError();
    *layout = std::move(*parsed);
  }
  if (row.leastColumns() > row.n)
    return makeError("layout '" + parts[7] + "' has more than " + Twine(row.n) + " columns");
  return row;
}

namespace {
/// Reads the words of one target. Matrices come last, because they need the number of lanes.
class Reader {
public:
  llvm::Expected<TargetInfo> read(StringRef text);

private:
  llvm::Error readWord(StringRef word, StringRef value);
  llvm::Error readMatrices();

  TargetInfo target;
  llvm::SmallVector<StringRef> matrices, warpGroups;
};
} // namespace

/// All words, for messages.
static std::string listWords() {
  TargetInfo target;
  std::string list = "name";
  forEachWord(
      target, [&](StringRef word, auto &, Range) { list += (", " + word).str(); },
      [&](StringRef word, bool) { list += (", " + word).str(); });
  return list + ", assembler, matrix, warp-group";
}

llvm::Error Reader::readWord(StringRef word, StringRef value) {
  if (word == "name" || word == "assembler") {
    (word == "name" ? target.name : target.assembler) = value.str();
    return value.empty() ? makeError("'" + word + "=' needs a value") : llvm::Error::success();
  }
  if (word == "matrix") {
    matrices.push_back(value);
    return llvm::Error::success();
  }
  if (word == "warp-group") {
    warpGroups.push_back(value);
    return llvm::Error::success();
  }
  bool isKnown = false;
  std::string problem;
  forEachWord(
      target,
      [&](StringRef name, auto &field, Range range) {
        if (name != word)
          return;
        isKnown = true;
        StringRef digits = value;
        uint64_t number = 0, unit = digits.consume_back("k") ? 1024 : 1;
        if (digits.getAsInteger(10, number) || number > range.most / unit ||
            number * unit < range.least ||
            (range.isPowerOfTwo && !llvm::isPowerOf2_64(number * unit)))
          problem = ("'" + word + "=" + value + "' is not " +
                     (range.isPowerOfTwo ? "a power of two" : "a number") + " from " +
                     Twine(range.least) + " to " + Twine(range.most))
                        .str();
        else
          field = number * unit;
      },
      [&](StringRef name, bool &field) {
        if (name != word)
          return;
        isKnown = true;
        field = value == "on";
        if (value != "on" && value != "off")
          problem = ("'" + word + "=" + value + "' is neither 'on' nor 'off'").str();
      });
  if (!isKnown)
    return makeError("'" + word + "' is not a word of a target; words are " + listWords());
  return problem.empty() ? llvm::Error::success() : makeError(problem);
}

llvm::Error Reader::readMatrices() {
  for (StringRef text : matrices) {
    llvm::Expected<MatrixInstruction> row = parseMatrix(text, target.warpSize);
    if (!row)
      return makeError("matrix=" + text + ": " + llvm::toString(row.takeError()));
    if (target.findMatrix(row->name))
      return makeError("matrix=" + text + ": two instructions have this name");
    target.matrixInstructions.push_back(std::move(*row));
  }
  for (StringRef text : warpGroups) {
    llvm::Expected<WarpGroupInstruction> row = parseWarpGroup(text, target.warpSize);
    if (!row)
      return makeError("warp-group=" + text + ": " + llvm::toString(row.takeError()));
    if (target.findWarpGroup(row->name))
      return makeError("warp-group=" + text + ": two instructions have this name");
    target.warpGroupInstructions.push_back(std::move(*row));
  }
  return llvm::Error::success();
}

llvm::Expected<TargetInfo> Reader::read(StringRef text) {
  StringRef rest = text;
  if (!rest.consume_front(kPrefix) && rest != "generic")
    return makeError("'" + text + "' is not a generic target; such text begins with 'generic:'");
  target.name = "generic";
  if (rest == "generic" || rest.empty())
    return target;
  if (!hasMatchingBrackets(rest))
    return makeError("the brackets of '" + rest + "' do not match");
  llvm::StringSet<> seen;
  for (StringRef part : splitOutside(rest, ',')) {
    auto [word, value] = part.split('=');
    if (!seen.insert(word).second && word != "matrix" && word != "warp-group")
      return makeError("'" + word + "' is given twice");
    if (llvm::Error error = readWord(word, value))
      return std::move(error);
  }
  if (llvm::Error error = readMatrices())
    return std::move(error);
  if (target.maxThreads < target.warpSize)
    return makeError("threads=" + Twine(target.maxThreads) +
                     " is less than lanes=" + Twine(target.warpSize));
  return target;
}

llvm::Expected<TargetInfo> target::parseTarget(StringRef text) { return Reader().read(text); }

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string printFragment(const LinearLayout &layout) {
  for (const layout::FragmentInfo &info : layout::allFragments())
    if (layout::fragmentLayout(info.kind) == layout)
      return info.name.str();
  return layout.toString();
}

static std::string join(std::initializer_list<std::string> parts) { return llvm::join(parts, ":"); }

/// What both kinds of rows begin with.
template <typename Row> static std::string printSizesAndTypes(const Row &row) {
  return join({std::to_string(row.m) + "x" + std::to_string(row.n) + "x" + std::to_string(row.k),
               nameOf(row.a).str(), nameOf(row.b).str(), nameOf(row.acc).str()});
}

static std::string printMatrix(const MatrixInstruction &row) {
  if (row.isOpaque)
    return join({"opaque", printSizesAndTypes(row)});
  return join({row.name, printSizesAndTypes(row), printFragment(row.aLayout),
               printFragment(row.bLayout), printFragment(row.dLayout)}) +
         (row.isImprecise ? ":imprecise"
          : row.isScaled  ? ":scaled"
                          : "") +
         (row.cycles ? ":cycles=" + std::to_string(row.cycles) : "");
}

static std::string printWarpGroup(const WarpGroupInstruction &row) {
  return join({row.name, std::to_string(row.warps), printSizesAndTypes(row),
               printFragment(row.aLayout), printFragment(row.dLayout)}) +
         (row.takesAnyOrder ? ":any-order" : "") + (row.isImprecise ? ":imprecise" : "");
}

std::string target::printTarget(const TargetInfo &target) {
  std::string text = kPrefix.str();
  auto add = [&](StringRef word, const Twine &value) {
    text += ((text == kPrefix ? "" : ",") + word + "=" + value).str();
  };
  if (target.name != "generic")
    add("name", target.name);
  // Everything that is not the default, and the two most important numbers.
  std::vector<uint64_t> numbers;
  std::vector<bool> flags;
  TargetInfo otherwise;
  forEachWord(
      otherwise, [&](StringRef, auto &field, Range) { numbers.push_back(field); },
      [&](StringRef, bool field) { flags.push_back(field); });
  size_t number = 0, flag = 0;
  forEachWord(
      target,
      [&](StringRef word, auto &field, Range) {
        if (uint64_t(field) != numbers[number++] || word == "lanes" || word == "shared")
          add(word, word == "shared" && field && field % 1024 == 0
                        ? Twine(uint64_t(field) / 1024).str() + "k"
                        : std::to_string(field));
      },
      [&](StringRef word, bool field) {
        if (field != flags[flag++])
          add(word, field ? "on" : "off");
      });
  if (!target.assembler.empty())
    add("assembler", target.assembler);
  for (const MatrixInstruction &row : target.matrixInstructions)
    add("matrix", printMatrix(row));
  for (const WarpGroupInstruction &row : target.warpGroupInstructions)
    add("warp-group", printWarpGroup(row));
  return text;
}
