// Sums of counters, the classes of instructions, and the JSON of a launch.
#include "emulators/amdgpu/Counters.h"
#include "emulators/amdgpu/Launch.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilerun::amdsim {

const char *instructionClassName(InstructionClass kind) {
  constexpr const char *names[] = {
      "salu",        "valu",         "transcendental", "matrix",         "scalar_load",
      "vector_load", "vector_store", "vector_atomic",  "private_memory", "lds",
      "lds_atomic",  "branch",       "wait",           "barrier",        "other"};
  static_assert(std::size(names) == size_t(InstructionClass::count));
  return names[unsigned(kind)];
}

InstructionClass classOf(const OpcodeRow &row) {
  llvm::StringRef name = llvm::StringRef(row.spellings).split('|').first;
  switch (row.family) {
  case Family::scalar: // the unit for transcendental functions takes scalars, too
    return name.starts_with("v_s_") ? InstructionClass::transcendental : InstructionClass::salu;
  case Family::scalarMemory:
    return InstructionClass::scalarLoad;
  case Family::branch:
    return InstructionClass::branch;
  case Family::wait:
    return InstructionClass::wait;
  case Family::barrier:
    return InstructionClass::barrier;
  case Family::vector:
  case Family::compare:
  case Family::lane:
    return InstructionClass::valu;
  case Family::transcendental:
    return InstructionClass::transcendental;
  case Family::matrix:
    return InstructionClass::matrix;
  case Family::lds:
    return InstructionClass::lds;
  case Family::global:
  case Family::buffer:
    return name.contains("_store_") ? InstructionClass::vectorStore : InstructionClass::vectorLoad;
  case Family::scratch:
    return InstructionClass::privateMemory;
  case Family::atomic:
    return name.starts_with("ds_") ? InstructionClass::ldsAtomic : InstructionClass::vectorAtomic;
  case Family::message:
  case Family::cache:
  case Family::count:
    break;
  }
  return InstructionClass::other;
}

void GlobalCounts::add(const GlobalCounts &other) {
  accesses += other.accesses, bytes += other.bytes;
  transactions += other.transactions, fewest += other.fewest;
}
void LdsCounts::add(const LdsCounts &other) {
  accesses += other.accesses, bytes += other.bytes;
  phases += other.phases, conflicts += other.conflicts;
}

uint64_t Counters::ofClass(InstructionClass kind) const {
  uint64_t sum = 0;
  for (unsigned row = 0; row < byRow.size(); ++row)
    if (byRow[row] && classOf(rowAt(row)) == kind)
      sum += byRow[row];
  return sum;
}

void Counters::add(const Counters &other) {
  if (byRow.size() < other.byRow.size())
    byRow.resize(other.byRow.size());
  for (size_t row = 0; row < other.byRow.size(); ++row)
    byRow[row] += other.byRow[row];
  instructions += other.instructions, waves += other.waves, matrixFlops += other.matrixFlops;
  for (unsigned use = 0; use < std::size(global); ++use) {
    global[use].add(other.global[use]);
    lds[use].add(other.lds[use]);
  }
}

std::string countersJson(const Target &target, const Kernel &kernel, const LaunchOptions &options,
                         const Counters &c, size_t findings) {
  constexpr const char *uses[] = {"load", "store", "atomic"};
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("kernel", kernel.name);
    json.attribute("architecture", target.name);
    json.attributeArray("grid", [&] {
      for (uint32_t n : options.grid)
        json.value(n);
    });
    json.attribute("threads",
                   uint64_t(options.threads[0]) * options.threads[1] * options.threads[2]);
    json.attribute("lanes", kernel.lanes);
    json.attribute("waves", c.waves);
    json.attribute("findings", uint64_t(findings));
    json.attributeObject("instructions", [&] {
      json.attribute("total", c.instructions);
      for (unsigned kind = 0; kind < unsigned(InstructionClass::count); ++kind)
        json.attribute(instructionClassName(InstructionClass(kind)),
                       c.ofClass(InstructionClass(kind)));
    });
    json.attribute("matrix_flops", c.matrixFlops);
    json.attributeObject("global", [&] {
      json.attribute("transaction_bytes", uint64_t(target.transactionBytes));
      for (unsigned use = 0; use < std::size(uses); ++use)
        json.attributeObject(uses[use], [&] {
          json.attribute("accesses", c.global[use].accesses);
          json.attribute("bytes", c.global[use].bytes);
          json.attribute("transactions", c.global[use].transactions);
          json.attribute("fewest_transactions", c.global[use].fewest);
        });
    });
    json.attributeObject("lds", [&] {
      for (unsigned use = 0; use < std::size(uses); ++use)
        json.attributeObject(uses[use], [&] {
          json.attribute("accesses", c.lds[use].accesses);
          json.attribute("bytes", c.lds[use].bytes);
          json.attribute("phases", c.lds[use].phases);
          json.attribute("bank_conflicts", c.lds[use].conflicts);
        });
    });
    json.attributeObject("opcodes", [&] {
      for (unsigned row = 0; row < c.byRow.size(); ++row)
        if (c.byRow[row])
          json.attribute(llvm::StringRef(rowAt(row).spellings).split('|').first, c.byRow[row]);
    });
  });
  return text;
}

} // namespace tilerun::amdsim
