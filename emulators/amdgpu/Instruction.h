// The decoded form of an instruction, and the row of the instruction table that it comes from.
//
// A row (OpcodeRow) is made of one line of the .def files: spelling, types of results and operands,
// and the function that executes it. Decoding, execution, coverage and the tests are driven by
// these rows.
#ifndef TILERUN_EMULATORS_AMDGPU_INSTRUCTION_H
#define TILERUN_EMULATORS_AMDGPU_INSTRUCTION_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace tilerun::amdsim {

struct Wave;
struct Instruction;
using Handler = void (*)(Wave &, const Instruction &);

// What an operand holds. It decides the meaning of constants and modifiers, and how many registers
// it has.
enum class Type : uint8_t {
  none,
  b32,
  i32,
  f32, // one register
  b16,
  i16,
  f16, // half a register, chosen by op_sel
  b64,
  i64,
  f64, // two registers
  pkB16,
  pkI16,
  pkF16, // two halves, chosen separately by op_sel and op_sel_hi
  pkF32, // two registers, chosen likewise
  mask,  // a bit for each lane, in one or two scalar registers
  raw,   // as many registers as the text says
};

enum class Family : uint8_t {
  scalar,
  scalarMemory,
  branch,
  wait,
  barrier,
  message,
  vector,
  transcendental,
  compare,
  lane,
  matrix,
  lds,
  global,
  buffer,
  scratch,
  atomic,
  cache,
  count
};

// Flags of rows.
enum RowFlag : uint16_t {
  accumulates = 1,        // the destination is also the last source
  readsVcc = 2,           // VCC is an operand that the text leaves out
  keepsHigh = 4,          // a 16-bit result keeps the other half, on every generation
  writesExec = 8,         // a comparison that writes EXEC instead of its operand (gfx10 and later)
  returns = 16,           // an atomic operation that may return the old value
  bitwise = 32,           // undefined bits are found by trying them (see Vector.h)
  ignoresText = 64,       // operands mean nothing to the emulator
  waits = 128,            // operands are counts to wait for
  readsLists = 256,       // the handler reads neg_lo and neg_hi itself, or refuses them
  picks = 1024,           // the least, greatest or middle number of its operands
  upward = 2048,          // with `bitwise`: a bit may change those above it, by a carry
  readsSelects = 4096,    // the handler reads op_sel and op_sel_hi itself
  keepsBits = 512,        // operands and results of a float's type are never flushed
  nearest = 8192,         // exact, or to the nearest even value whatever MODE says
  roundsSomehow = 16384,  // how it rounds in MODE's other directions is not known
  neverOverflows = 32768, // an infinite half is that of a division by zero or of its operands
};

struct OpcodeRow {
  const char *spellings; // "s_load_dword|s_load_b32"; the first is its name
  Family family;
  uint8_t results; // operands of the text that are written; they come first
  uint16_t flags;
  Type types[6]; // of the operands of the text
  Handler run;
};

// All rows, one list for each family of .def files.
llvm::ArrayRef<OpcodeRow> scalarRows();
llvm::ArrayRef<OpcodeRow> scalarMemoryRows();
llvm::ArrayRef<OpcodeRow> controlRows();
llvm::ArrayRef<OpcodeRow> vectorRows();
llvm::ArrayRef<OpcodeRow> floatRows();
llvm::ArrayRef<OpcodeRow> packedRows();
llvm::ArrayRef<OpcodeRow> compareRows();
llvm::ArrayRef<OpcodeRow> laneRows();
llvm::ArrayRef<OpcodeRow> ldsRows();
llvm::ArrayRef<OpcodeRow> ldsAtomicRows();
llvm::ArrayRef<OpcodeRow> globalRows();
llvm::ArrayRef<OpcodeRow> globalAtomicRows();
llvm::ArrayRef<OpcodeRow> matrixRows();

// Scalar registers as the emulator numbers them; general ones come first.
enum ScalarRegister : uint16_t {
  sgprVcc = 106,
  sgprTtmp = 108,
  sgprM0 = 124,
  sgprExec = 126,
  sgprScc = 128,
  sgprNull = 130,
  sgprSharedBase = 132,
  sgprPrivateBase = 134,
  sgprFlatScratch = 136,
  sgprXnack = 138,
  sgprCount = 140
};
constexpr unsigned agprBase = 256, vgprCount = 512;

struct Operand {
  enum Place : uint8_t { none, vgpr, sgpr, constant, off };
  Place place = none;
  Type type = Type::none;
  uint8_t words = 0;    // registers
  bool isPlain = false; // a vector register without any modifier
  bool isNegated = false, isAbsolute = false, isSignExtended = false;
  bool isPermuted = false; // by DPP
  uint8_t select = 0;      // op_sel: bit 0 for the low or only half, bit 1 for the high one
  uint8_t negateHigh = 0;  // packed forms: neg_hi
  uint8_t sdwa = 6;        // 0-3 a byte, 4-5 a word, 6 all of it
  uint16_t reg = 0;   // of the vector file (accumulation registers from agprBase) or the scalar one
  uint64_t value = 0; // of a constant, as wide as the type
};

struct Dpp {
  int8_t from[64]; // the lane that each lane reads, or -1
  uint8_t rowMask, bankMask;
  bool readsZero;     // bound_ctrl: lanes without a source read 0, and are written
  bool readsInactive; // fi
};

// Flags of instructions.
enum InstructionFlag : uint16_t {
  clamp = 1,
  hasReturn = 2,
  offen = 4,
  idxen = 8,
  toLds = 16,
  isSdwa = 32,
  isDpp = 64
};

struct Instruction {
  Handler run = nullptr;
  const OpcodeRow *row = nullptr;
  uint32_t offset = 0; // of the instruction in the image
  uint8_t bytes = 0;
  uint8_t sources = 0;
  uint8_t dstSelect = 6,
          dstUnused = 0;   // SDWA: which part is written; 0 pad, 1 sign-extend, 2 preserve
  uint8_t opSel = 0;       // the list of op_sel as bits
  uint8_t byteSelect = 0;  // byte_sel: of the source, or of the destination
  bool writesHigh = false; // op_sel of the destination: its high half
  int8_t outputScale = 0;  // output modifier: times 2 or 4 (1, 2), or half (-1)
  uint16_t flags = 0;
  uint16_t rowIndex = 0;            // among all rows, for counters
  int32_t offset0 = 0, offset1 = 0; // of memory instructions; offset0: other immediates
  uint32_t target = 0;              // index of the instruction that a branch goes to
  const Dpp *dpp = nullptr;
  const Instruction *second = nullptr; // the other half of a dual-issue pair
  Operand dst[2];
  Operand src[5];
};

// All rows by spelling; null if there is none. `index` is its place among all rows.
const OpcodeRow *findRow(llvm::StringRef spelling, uint16_t *index = nullptr);
unsigned rowCount();
const OpcodeRow &rowAt(unsigned index);

} // namespace tilerun::amdsim

#endif
