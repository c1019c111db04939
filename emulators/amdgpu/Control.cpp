// Branches, waits, barriers, messages, and access to the wave's own state.
#include "emulators/amdgpu/Access.h"

namespace tilerun::amdsim {

void Wave::setMode(uint32_t value) {
  mode = value;
  roundsDirected = value & 15;
  // Of each two bits the lower one allows subnormal operands, the higher one subnormal results.
  flushesInput32 = !(value >> 4 & 1), flushesOutput32 = !(value >> 5 & 1);
  flushesInput16 = !(value >> 6 & 1), flushesOutput16 = !(value >> 7 & 1);
  clampsNan = target->generation == Generation::gfx12 || (value >> 8 & 1);
  isIeee = value >> 9 & 1;
}

void signalBarrier(Wave &w) {
  w.hasSignalled = true;
  // Hardware would go on without it; whether the others had waited for it by then is chance.
  for (const Wave &other : w.group->waves)
    if (other.state == WaveState::ended && !other.hasSignalled)
      return w.fault(FindingKind::barrier, -1,
                     "waits at a barrier that wave " + std::to_string(other.index) +
                         " never reached");
  for (const Wave &other : w.group->waves)
    if (other.state != WaveState::ended && !other.hasSignalled)
      return;
  for (Wave &other : w.group->waves) {
    other.hasSignalled = false;
    if (other.state == WaveState::atBarrier)
      other.state = WaveState::running, ++other.epoch;
    else
      other.mayPass = other.state != WaveState::ended;
  }
}

void waitBarrier(Wave &w) {
  if (w.state == WaveState::faulted)
    return;
  if (w.mayPass) {
    w.mayPass = false;
    ++w.epoch;
  } else if (w.hasSignalled) {
    w.state = WaveState::atBarrier;
  } else {
    w.fault(FindingKind::barrier, -1, "a wait for the barrier without a signal before it");
  }
}

namespace {

enum class Condition { always, scc0, scc1, vccZero, vccNonZero, execZero, execNonZero };

template <Condition condition> void branch(Wave &w, const Instruction &i) {
  bool isTaken = true;
  if constexpr (condition == Condition::scc0 || condition == Condition::scc1) {
    if (w.sgprShadow[sgprScc])
      w.reportUndefined(0, "the condition of a branch");
    isTaken = w.scc() == (condition == Condition::scc1);
  }
  if constexpr (condition == Condition::vccZero || condition == Condition::vccNonZero) {
    w.checkScalar(sgprVcc);
    if (w.maskShadow(sgprVcc))
      w.reportUndefined(w.maskShadow(sgprVcc), "the condition of a branch");
    isTaken = (w.maskAt(sgprVcc) != 0) == (condition == Condition::vccNonZero);
  }
  if constexpr (condition == Condition::execZero || condition == Condition::execNonZero)
    isTaken = (w.exec() != 0) == (condition == Condition::execNonZero);
  if (!isTaken)
    return;
  if (i.target >= w.launch->program.size())
    return w.fault(FindingKind::unknownInstruction, -1,
                   "the branch goes to where no instruction begins");
  w.pc = i.target;
}

uint64_t addressAfter(Wave &w, const Instruction &i) {
  return w.launch->object.imageBase() + i.offset + i.bytes;
}
void jump(Wave &w, uint64_t address) {
  uint64_t offset = address - w.launch->object.imageBase();
  uint32_t index = w.launch->program.indexAt(offset);
  if (index >= w.launch->program.size())
    return w.fault(FindingKind::unknownInstruction, -1,
                   "the jump goes to where no instruction begins");
  w.pc = index;
}
void writePair(Wave &w, const Operand &o, uint64_t value) {
  w.setWide(o.reg, value);
  w.sgprShadow[o.reg] = w.sgprShadow[o.reg + 1] = 0;
}
void getPc(Wave &w, const Instruction &i) { writePair(w, i.dst[0], addressAfter(w, i)); }
void setPc(Wave &w, const Instruction &i) { jump(w, w.wide(i.src[0].reg)); }
void swapPc(Wave &w, const Instruction &i) {
  uint64_t to = w.wide(i.src[0].reg);
  writePair(w, i.dst[0], addressAfter(w, i));
  jump(w, to);
}
void call(Wave &w, const Instruction &i) {
  writePair(w, i.dst[0], addressAfter(w, i));
  branch<Condition::always>(w, i);
}

// The count of LDS and scalar loads together. Scalar loads come back in any order, so that while
// one is under way only a wait for all of them says anything.
void waitLgkm(Wave &w, int32_t count) {
  if (count == 0) {
    w.waitFor(Pending::lds, 0);
    w.waitFor(Pending::scalarMemory, 0);
  } else if (count > 0 && w.outstanding(Pending::scalarMemory) == 0) {
    w.waitFor(Pending::lds, uint32_t(count));
  }
}
void waitCount(Wave &w, const Instruction &i) {
  if (i.offset0 >= 0)
    w.waitFor(Pending::vectorMemory, uint32_t(i.offset0));
  waitLgkm(w, i.offset1);
}
template <Pending kind> void waitOne(Wave &w, const Instruction &i) {
  if (kind != Pending::scalarMemory || i.offset0 == 0)
    w.waitFor(kind, uint32_t(i.offset0));
}
template <Pending kind> void waitWithLds(Wave &w, const Instruction &i) {
  w.waitFor(Pending::lds, uint32_t(i.offset0) & 63);
  w.waitFor(kind, uint32_t(i.offset0) >> 8 & 63);
}
void waitIdle(Wave &w, const Instruction &) {
  for (unsigned kind = 1; kind < unsigned(Pending::count); ++kind)
    w.waitFor(Pending(kind), 0);
}

void barrier(Wave &w, const Instruction &) {
  signalBarrier(w);
  waitBarrier(w);
}
bool isWorkgroupBarrier(Wave &w, const Instruction &i) {
  bool is = i.src[0].place == Operand::constant && int16_t(i.src[0].value) == -1;
  if (!is)
    w.fault(FindingKind::unsupported, -1, "named barriers are not emulated");
  return is;
}
void barrierSignal(Wave &w, const Instruction &i) {
  if (!isWorkgroupBarrier(w, i))
    return;
  signalBarrier(w);
}
void barrierWait(Wave &w, const Instruction &i) {
  if (isWorkgroupBarrier(w, i))
    waitBarrier(w);
}

void end(Wave &w, const Instruction &) {
  w.state = WaveState::ended;
  // Others may have waited for this wave: that is reported when they cannot go on otherwise, or
  // when one comes to the barrier later.
}
void trap(Wave &w, const Instruction &) { w.fault(FindingKind::trap, -1, "the kernel traps"); }
void nothing(Wave &, const Instruction &) {}

// hwreg(...) as one number: register, first bit, bits less one.
struct HardwareRegister {
  unsigned id, shift;
  uint32_t field;
  explicit HardwareRegister(uint64_t value)
      : id(value & 63), shift(value >> 6 & 31),
        field(uint32_t((uint64_t(2) << (value >> 11 & 31)) - 1)) {}
};
enum : unsigned { hwMode = 1, hwHardwareId = 4, hwDie = 20, hwCyclesLow = 29, hwCyclesHigh = 30 };

void getRegister(Wave &w, const Instruction &i) {
  HardwareRegister reg(i.src[0].value);
  uint32_t value = 0;
  switch (reg.id) {
  case hwMode:
    value = w.mode;
    break;
  case hwHardwareId:
  case hwDie:
    break; // one compute unit, one die: every number is 0
  case hwCyclesLow:
    value = uint32_t(w.counters->instructions);
    break;
  case hwCyclesHigh:
    value = uint32_t(w.counters->instructions >> 32);
    break;
  default:
    return w.fault(FindingKind::unsupported, -1,
                   "reading hardware register " + std::to_string(reg.id) + " is not emulated");
  }
  w.sgprs[i.dst[0].reg] = value >> reg.shift & reg.field;
  w.sgprShadow[i.dst[0].reg] = 0;
}
void setRegister(Wave &w, const Instruction &i) {
  HardwareRegister reg(i.src[0].value);
  uint32_t value = scalarOf(w, i.src[1], 0, "a value for a hardware register");
  if (reg.id != hwMode)
    return w.fault(FindingKind::unsupported, -1,
                   "writing a hardware register other than MODE is not emulated");
  uint32_t field = reg.field << reg.shift;
  w.setMode((w.mode & ~field) | (value << reg.shift & field));
}
// Four bits of MODE: the rounding of both widths, or their denormals.
template <unsigned shift> void setModeField(Wave &w, const Instruction &i) {
  uint32_t field = 15u << shift;
  w.setMode((w.mode & ~field) | (uint32_t(i.src[0].value) << shift & field));
}

template <Condition condition> constexpr OpcodeRow branchRow(const char *name) {
  return {name, Family::branch, 0, 0, {Type::b32}, branch<condition>};
}
// Caches are not emulated, but these operations on them are in order with loads or stores, and are
// waited for as these are.
template <Pending kind> void cacheOperation(Wave &w, const Instruction &) { (void)w.issue(kind); }
template <Pending kind> constexpr OpcodeRow cacheRow(const char *names) {
  return {names, Family::cache, 0, ignoresText, {}, cacheOperation<kind>};
}
constexpr OpcodeRow ignored(const char *names, Family family) {
  return {names, family, 0, ignoresText, {}, nothing};
}

constexpr OpcodeRow rows[] = {
    branchRow<Condition::always>("s_branch"),
    branchRow<Condition::scc0>("s_cbranch_scc0"),
    branchRow<Condition::scc1>("s_cbranch_scc1"),
    branchRow<Condition::vccZero>("s_cbranch_vccz"),
    branchRow<Condition::vccNonZero>("s_cbranch_vccnz"),
    branchRow<Condition::execZero>("s_cbranch_execz"),
    branchRow<Condition::execNonZero>("s_cbranch_execnz"),
    {"s_getpc_b64", Family::scalar, 1, 0, {Type::b64}, getPc},
    {"s_setpc_b64", Family::scalar, 0, 0, {Type::b64}, setPc},
    {"s_swappc_b64", Family::scalar, 1, 0, {Type::b64, Type::b64}, swapPc},
    {"s_call_b64", Family::branch, 1, 0, {Type::b64, Type::b32}, call},
    {"s_endpgm", Family::message, 0, ignoresText, {}, end},
    {"s_trap", Family::message, 0, ignoresText, {}, trap},
    {"s_waitcnt", Family::wait, 0, waits, {}, waitCount},
    {"s_waitcnt_vscnt|s_wait_storecnt", Family::wait, 0, waits, {}, waitOne<Pending::store>},
    {"s_wait_loadcnt", Family::wait, 0, waits, {}, waitOne<Pending::vectorMemory>},
    {"s_wait_dscnt", Family::wait, 0, waits, {}, waitOne<Pending::lds>},
    {"s_wait_kmcnt", Family::wait, 0, waits, {}, waitOne<Pending::scalarMemory>},
    {"s_wait_loadcnt_dscnt", Family::wait, 0, waits, {}, waitWithLds<Pending::vectorMemory>},
    {"s_wait_storecnt_dscnt", Family::wait, 0, waits, {}, waitWithLds<Pending::store>},
    {"s_wait_idle", Family::wait, 0, ignoresText, {}, waitIdle},
    {"s_barrier", Family::barrier, 0, ignoresText, {}, barrier},
    {"s_barrier_signal", Family::barrier, 0, 0, {Type::b32}, barrierSignal},
    {"s_barrier_wait", Family::barrier, 0, 0, {Type::b32}, barrierWait},
    {"s_getreg_b32", Family::scalar, 1, 0, {Type::b32, Type::b32}, getRegister},
    {"s_setreg_b32|s_setreg_imm32_b32", Family::scalar, 0, 0, {Type::b32, Type::b32}, setRegister},
    {"s_round_mode", Family::scalar, 0, 0, {Type::b32}, setModeField<0>},
    {"s_denorm_mode", Family::scalar, 0, 0, {Type::b32}, setModeField<4>},
    ignored("s_nop|s_sleep|s_delay_alu|s_clause|s_waitcnt_depctr|s_wait_alu|s_wait_expcnt|"
            "s_wait_samplecnt|s_wait_bvhcnt|s_set_inst_prefetch_distance|s_inst_prefetch|"
            "s_code_end|s_incperflevel|s_decperflevel|v_nop",
            Family::message),
    ignored("s_setprio|s_setprio_inc_wg", Family::message),
    ignored("s_sendmsg|s_ttracedata|s_ttracedata_imm", Family::message),
    cacheRow<Pending::vectorMemory>("global_inv|buffer_wbl2"),
    cacheRow<Pending::store>("global_wb|global_wbinv"),
    ignored("s_icache_inv|s_dcache_inv|s_dcache_wb|s_gl1_inv|buffer_invl2|buffer_inv|"
            "buffer_wbinvl1|buffer_wbinvl1_vol|buffer_gl0_inv|buffer_gl1_inv|"
            "s_prefetch_inst|s_prefetch_data|s_dcache_inv_vol|s_dcache_wb_vol",
            Family::cache),
};

} // namespace

llvm::ArrayRef<OpcodeRow> controlRows() { return rows; }

} // namespace tilerun::amdsim
