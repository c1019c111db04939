// See LayoutFacts.h.
#include "tools/tilerun/picture/LayoutFacts.h"

#include "ir/layout/NamedLayouts.h"
#include "ir/layout/TensorLayout.h"
#include "ir/layout/Vectorization.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;
using namespace tilerun::layout;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string printShape(const LayoutFacts &facts) {
  return facts.shape.empty()
             ? "1"
             : llvm::join(
                   llvm::map_range(facts.shape, [](uint64_t size) { return std::to_string(size); }),
                   " x ");
}

/// "1 shuffle", "2 shuffles".
static std::string count(uint64_t number, StringRef singular, StringRef plural = "") {
  return llvm::formatv("{0} {1}{2}", number, number == 1 || plural.empty() ? singular : plural,
                       number != 1 && plural.empty() ? "s" : "")
      .str();
}

//===----------------------------------------------------------------------===//
// One layout
//===----------------------------------------------------------------------===//

/// One warp whose lanes are consecutive along `dim`, then along the others from the last on.
static std::optional<SharedAccess> walkAlong(unsigned dim, const LayoutFacts &facts,
                                             const target::TargetInfo &target,
                                             unsigned elementBytes) {
  LinearLayout lanes;
  unsigned left = unsigned(std::countr_zero(target.warpSize));
  llvm::SmallVector<unsigned, 4> order = {dim};
  for (unsigned d = facts.shape.size(); d-- > 0;)
    if (d != dim)
      order.push_back(d);
  BitVectors bases;
  llvm::ArrayRef<Dim> outs = facts.map.getOuts();
  for (unsigned d : order)
    for (unsigned bit = 0; bit < outs[d].bits && bases.size() < left; ++bit)
      bases.push_back(uint64_t(1) << (facts.map.outShift(outs[d].name) + bit));
  bases.resize(left, 0); // Lanes that are left over access what others do.
  return accessShared(LinearLayout({Dim(kRegister, 0), Dim(kLane, left)}, DimList(outs), bases),
                      facts.map, elementBytes, target.sharedModel);
}

llvm::Expected<LayoutFacts> picture::describeLayout(const LinearLayout &map,
                                                    const target::TargetInfo &target,
                                                    unsigned elementBytes) {
  LayoutFacts facts;
  facts.map = map;
  facts.isMemory = isMemoryLayout(map);
  for (const Dim &in : map.getIns())
    if (!facts.isMemory && !llvm::is_contained({StringRef(kRegister), StringRef(kLane),
                                                StringRef(kWarp), StringRef(kBlock)},
                                               StringRef(in.name)))
      return makeError("the layout has the input '" + in.name +
                       "'; a tensor in threads has register, lane, warp and block, one in memory "
                       "has offset alone");
  for (const Dim &out : map.getOuts())
    facts.shape.push_back(out.size());
  facts.copies = map.isSurjective() ? uint64_t(1) << (map.totalInBits() - map.rank()) : 0;
  if (facts.isMemory) {
    facts.bytes = (uint64_t(1) << map.inBits(kOffset)) * elementBytes;
    if (facts.copies)
      for (unsigned dim = 0; dim < facts.shape.size(); ++dim)
        if (std::optional<SharedAccess> access = walkAlong(dim, facts, target, elementBytes))
          facts.walks.push_back({dim, access->phases, access->conflicts});
    return facts;
  }
  auto sizeOf = [&](StringRef in) { return uint64_t(1) << map.inBits(in); };
  facts.registers = sizeOf(kRegister);
  facts.lanes = sizeOf(kLane);
  facts.warps = sizeOf(kWarp);
  facts.blocks = sizeOf(kBlock);
  LinearLayout full = map.hasIn(kRegister) ? map : map.resizeIn(kRegister, 0);
  for (auto [dim, out] : llvm::enumerate(map.getOuts()))
    if (unsigned bits = consecutiveRegisterBits(full, {StringRef(out.name)});
        uint64_t(1) << bits > facts.vector)
      std::tie(facts.vector, facts.vectorDim) = std::pair(uint64_t(1) << bits, unsigned(dim));
  return facts;
}

void picture::printFacts(llvm::raw_ostream &os, const LayoutFacts &facts, unsigned elementBytes) {
  os << facts.map << "\n" << printShape(facts) << " elements";
  auto name = [&](unsigned dim) { return facts.map.getOuts()[dim].name; };
  if (facts.isMemory) {
    os << " of " << count(elementBytes, "byte") << " in " << count(facts.bytes, "byte");
  } else {
    if (facts.blocks > 1)
      os << " over " << facts.blocks << " blocks of " << count(facts.warps, "warp");
    else
      os << " over " << count(facts.warps, "warp");
    os << " of " << count(facts.lanes, "lane") << ", " << count(facts.registers, "register")
       << " a thread";
  }
  if (facts.copies == 0)
    os << "; some elements are held nowhere";
  else if (facts.copies > 1)
    os << "; each element is held " << facts.copies << " times";
  os << "\n";
  if (facts.vector > 1)
    os << llvm::formatv("{0} consecutive registers hold consecutive elements along {1} ({2})\n",
                        facts.vector, name(facts.vectorDim),
                        count(facts.vector * elementBytes, "byte"));
  for (const LayoutFacts::Walk &walk : facts.walks)
    os << llvm::formatv("a warp along {0}, an element a lane: {1}, {2}\n", name(walk.dim),
                        count(walk.phases, "phase"), count(walk.conflicts, "bank conflict"));
}

llvm::json::Object picture::toJson(const LayoutFacts &facts) {
  llvm::json::Array shape(facts.shape);
  llvm::json::Object object{{"layout", facts.map.toString()},
                            {"kind", facts.isMemory ? "memory" : "threads"},
                            {"shape", std::move(shape)},
                            {"copies", facts.copies}};
  if (facts.isMemory) {
    llvm::json::Array walks;
    for (const LayoutFacts::Walk &walk : facts.walks)
      walks.push_back(llvm::json::Object{
          {"dim", walk.dim}, {"phases", walk.phases}, {"conflicts", walk.conflicts}});
    object["bytes"] = facts.bytes;
    object["warp_accesses"] = std::move(walks);
    return object;
  }
  object["registers"] = facts.registers;
  object["lanes"] = facts.lanes;
  object["warps"] = facts.warps;
  object["blocks"] = facts.blocks;
  object["vector"] = facts.vector;
  return object;
}

//===----------------------------------------------------------------------===//
// From one layout to another
//===----------------------------------------------------------------------===//

StringRef picture::toString(Move move) {
  switch (move) {
  case Move::Stays:
    return "stay";
  case Move::Register:
    return "from another register of the thread";
  case Move::Lane:
    return "from another lane";
  case Move::Warp:
    return "from another warp";
  case Move::Block:
    return "from another block";
  }
  return "";
}

Move picture::classify(const Transfer &transfer, uint64_t position, uint64_t &source) {
  const LinearLayout &map = transfer.plan->source;
  source = map.applyFlat(position);
  auto own = LinearLayout::unpack(map.getIns(), position);
  auto other = LinearLayout::unpack(map.getOuts(), source);
  for (auto [in, move] : {std::pair(3u, Move::Block), std::pair(2u, Move::Warp),
                          std::pair(1u, Move::Lane), std::pair(0u, Move::Register)})
    if (own[in] != other[in])
      return move;
  return Move::Stays;
}

/// Above this number of positions they are counted by a sample, which would not be exact; so they
/// are not counted.
static constexpr unsigned kCountedBits = 22;

static llvm::Expected<Transfer> planConversion(const LayoutFacts &from, const LayoutFacts &to,
                                               const target::TargetInfo &target,
                                               unsigned elementBytes) {
  llvm::Expected<ConversionPlan> plan =
      target::chooseConversion(target, from.map, to.map, elementBytes);
  if (!plan)
    return plan.takeError();
  if (plan->source.totalInBits() > kCountedBits)
    return makeError("the layouts have more than 2^" + Twine(kCountedBits) + " positions");
  Transfer transfer;
  transfer.elementBytes = elementBytes;
  transfer.plan = std::move(*plan);
  const ConversionPlan &chosen = *transfer.plan;
  if (chosen.shuffle)
    transfer.cost = target::conversionCost(*chosen.shuffle, target);
  if (chosen.shared) {
    transfer.cost = target::conversionCost(*chosen.shared, target);
    transfer.pieces = uint64_t(1) << target::MemoryBudget::pieceBits(
                          chosen.shared->bytes, target.budget().forConversions(0, 0));
  }
  for (uint64_t position = 0; position < uint64_t(1) << chosen.source.totalInBits(); ++position) {
    uint64_t source = 0;
    ++transfer.counts[unsigned(classify(transfer, position, source))];
  }
  return transfer;
}

llvm::Expected<Transfer> picture::planTransfer(const LayoutFacts &from, const LayoutFacts &to,
                                               const target::TargetInfo &target,
                                               unsigned elementBytes) {
  if (from.map.getOuts() != to.map.getOuts())
    return makeError("the layouts are of different tensors: " + printShape(from) + " and " +
                     printShape(to));
  if (from.isMemory && to.isMemory)
    return makeError("both layouts are of memory; one side is over threads");
  if (!from.isMemory && !to.isMemory)
    return planConversion(from, to, target, elementBytes);
  const LayoutFacts &threads = from.isMemory ? to : from, &memory = from.isMemory ? from : to;
  if (threads.blocks > 1)
    return makeError("the layout is over " + Twine(threads.blocks) +
                     " blocks, and memory is of one");
  LinearLayout full =
      threads.map.hasIn(kRegister) ? threads.map : threads.map.resizeIn(kRegister, 0);
  if (!full.hasIn(kLane))
    full = full.resizeIn(kLane, 0);
  Transfer transfer;
  transfer.kind = from.isMemory ? Transfer::Kind::Load : Transfer::Kind::Store;
  transfer.elementBytes = elementBytes;
  transfer.access = accessShared(full, memory.map, elementBytes, target.sharedModel);
  if (!transfer.access)
    return makeError("the memory does not hold all elements that the threads hold");
  transfer.cost = transfer.access->wavefronts() * target.exchange.sharedWavefront;
  return transfer;
}

static void printAccess(llvm::raw_ostream &os, StringRef what, const SharedAccess &access,
                        unsigned elementBytes) {
  os << llvm::formatv("{0}: {1} of {2} a thread, each {3} of a warp and {4}\n", what,
                      count(access.instructions, "access", "accesses"),
                      count(access.vectorElements * elementBytes, "byte"),
                      count(access.phases, "phase"), count(access.conflicts, "bank conflict"));
}

void picture::printFacts(llvm::raw_ostream &os, const Transfer &transfer) {
  if (transfer.access) {
    printAccess(os, transfer.kind == Transfer::Kind::Store ? "store" : "load", *transfer.access,
                transfer.elementBytes);
    return;
  }
  const ConversionPlan &plan = *transfer.plan;
  os << "conversion: "
     << (plan.kind == ConversionKind::Registers ? "registers only" : layout::toString(plan.kind))
     << "\n";
  double all = double(uint64_t(1) << plan.source.totalInBits());
  std::vector<std::string> parts;
  for (auto [move, number] : llvm::enumerate(transfer.counts))
    if (number)
      parts.push_back(llvm::formatv("{0:F1} % {1}", 100 * double(number) / all,
                                    toString(static_cast<Move>(move))));
  os << "values: " << llvm::join(parts, ", ") << "\n";
  if (plan.shuffle) {
    size_t moving = llvm::count(plan.shuffle->needsShuffle, true);
    os << llvm::formatv(
        "{0} a thread in {1}, {2} of which move nothing between lanes; a word holds {3}\n",
        count(plan.shuffle->shuffles, "shuffle"), count(plan.shuffle->needsShuffle.size(), "round"),
        plan.shuffle->needsShuffle.size() - moving,
        count(uint64_t(1) << plan.shuffle->packedRegisters.size(), "element"));
  }
  if (plan.shared) {
    os << count(plan.shared->bytes, "byte") << " of shared memory, and a barrier of the "
       << (plan.shared->barrier == Barrier::Block ? "program" : "warp") << "\n";
    if (transfer.pieces > 1)
      os << "in " << transfer.pieces << " pieces, because the target has less memory\n";
    os << "memory: " << plan.shared->choice.memory << "\n";
    printAccess(os, "store", plan.shared->choice.write, transfer.elementBytes);
    printAccess(os, "load", plan.shared->choice.read, transfer.elementBytes);
  }
  if (transfer.cost)
    os << "cost: " << transfer.cost << " of the target's units\n";
}

static llvm::json::Object toJson(const SharedAccess &access, unsigned elementBytes) {
  return llvm::json::Object{{"accesses", access.instructions},
                            {"bytes", access.vectorElements * elementBytes},
                            {"phases", access.phases},
                            {"conflicts", access.conflicts}};
}

llvm::json::Object picture::toJson(const Transfer &transfer) {
  if (transfer.access) {
    llvm::json::Object object = ::toJson(*transfer.access, transfer.elementBytes);
    object["kind"] = transfer.kind == Transfer::Kind::Store ? "store" : "load";
    return object;
  }
  const ConversionPlan &plan = *transfer.plan;
  llvm::json::Object object{
      {"kind", layout::toString(plan.kind)}, {"cost", transfer.cost},
      {"stay", transfer.counts[0]},          {"from_register", transfer.counts[1]},
      {"from_lane", transfer.counts[2]},     {"from_warp", transfer.counts[3]},
      {"from_block", transfer.counts[4]}};
  if (plan.shuffle) {
    object["shuffles"] = plan.shuffle->shuffles;
    object["rounds"] = plan.shuffle->needsShuffle.size();
  }
  if (plan.shared) {
    object["shared_bytes"] = plan.shared->bytes;
    object["pieces"] = transfer.pieces;
    object["barrier"] = plan.shared->barrier == Barrier::Block ? "program" : "warp";
    object["memory"] = plan.shared->choice.memory.toString();
    object["store"] = ::toJson(plan.shared->choice.write, transfer.elementBytes);
    object["load"] = ::toJson(plan.shared->choice.read, transfer.elementBytes);
  }
  return object;
}
