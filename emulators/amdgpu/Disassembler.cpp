// LLVM's machine code layer, set up for one AMDGPU target.
#include "emulators/amdgpu/Disassembler.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Errc.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

// Only the functions for AMDGPU are wanted; LLVM's header for all targets would pull in the others.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace tilerun::amdsim {

using namespace llvm;

struct Disassembler::State {
  Triple triple{"amdgcn-amd-amdhsa"};
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

Disassembler::Disassembler() : state(std::make_unique<State>()) {}
Disassembler::~Disassembler() = default;

Expected<std::unique_ptr<Disassembler>> Disassembler::create(StringRef cpu, unsigned lanes) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::string message;
  std::unique_ptr<Disassembler> result(new Disassembler);
  State &s = *result->state;
  const llvm::Target *target = TargetRegistry::lookupTarget(s.triple, message);
  if (!target)
    return createStringError(llvm::errc::not_supported, "LLVM has no AMDGPU target: " + message);
  s.registers.reset(target->createMCRegInfo(s.triple));
  s.assembly.reset(target->createMCAsmInfo(*s.registers, s.triple, s.options));
  s.instructions.reset(target->createMCInstrInfo());
  bool isWide = lanes == 64;
  StringRef features = cpu.starts_with("gfx9") ? ""
                       : isWide                ? "+wavefrontsize64"
                                               : "+wavefrontsize32";
  s.subtarget.reset(target->createMCSubtargetInfo(s.triple, cpu, features));
  s.context =
      std::make_unique<MCContext>(s.triple, s.assembly.get(), s.registers.get(), s.subtarget.get());
  s.disassembler.reset(target->createMCDisassembler(*s.subtarget, *s.context));
  s.printer.reset(target->createMCInstPrinter(s.triple, s.assembly->getAssemblerDialect(),
                                              *s.assembly, *s.instructions, *s.registers));
  if (!s.disassembler || !s.printer)
    return createStringError(llvm::errc::not_supported, "LLVM cannot disassemble for " + cpu);
  return result;
}

unsigned Disassembler::print(ArrayRef<uint8_t> bytes, uint64_t address, std::string &text) {
  MCInst inst;
  uint64_t size = 0;
  text.clear();
  if (state->disassembler->getInstruction(inst, size, bytes, address, nulls()) !=
      MCDisassembler::Success)
    return 0;
  raw_string_ostream stream(text);
  state->printer->printInst(&inst, address, "", *state->subtarget, stream);
  text.erase(0, text.find_first_not_of(" \t"));
  return unsigned(size);
}

} // namespace tilerun::amdsim
