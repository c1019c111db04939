// Parsing operands. The forms are those of LLVM's printer; anything else is an error with its text.
#include "emulators/amdgpu/Syntax.h"
#include "emulators/amdgpu/Types.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Errc.h"

namespace tilerun::amdsim {

using namespace llvm;

Error syntaxError(const Twine &message) {
  return createStringError(llvm::errc::invalid_argument, message);
}

namespace {

// Splits where `separator` is outside of brackets.
void splitOutside(StringRef text, char separator, SmallVectorImpl<StringRef> &parts) {
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (text[at] == '[' || text[at] == '('))
      ++depth;
    else if (at < text.size() && (text[at] == ']' || text[at] == ')'))
      --depth;
    else if (at == text.size() || (text[at] == separator && depth == 0)) {
      if (StringRef part = text.slice(begin, at).trim(); !part.empty())
        parts.push_back(part);
      begin = at + 1;
    }
  }
}

// "5" or "[4:7]" after the letter of a register file.
bool parseRange(StringRef text, unsigned &first, unsigned &words) {
  if (!text.consume_front("[")) {
    words = 1;
    return !text.getAsInteger(10, first);
  }
  unsigned last = 0;
  bool isClosed = text.consume_back("]");
  auto [low, high] = text.split(':');
  if (!isClosed || low.getAsInteger(10, first))
    return false;
  if (high.empty())
    last = first;
  else if (high.getAsInteger(10, last))
    return false;
  words = last - first + 1;
  return last >= first;
}

struct NamedRegister {
  const char *name;
  uint16_t reg;
  uint8_t words;
};
constexpr NamedRegister named[] = {
    {"vcc", sgprVcc, 2},
    {"vcc_lo", sgprVcc, 1},
    {"vcc_hi", sgprVcc + 1, 1},
    {"exec", sgprExec, 2},
    {"exec_lo", sgprExec, 1},
    {"exec_hi", sgprExec + 1, 1},
    {"m0", sgprM0, 1},
    {"null", sgprNull, 2},
    {"src_scc", sgprScc, 1},
    {"scc", sgprScc, 1},
    {"src_shared_base", sgprSharedBase, 2},
    {"src_shared_base_lo", sgprSharedBase, 1},
    {"src_private_base", sgprPrivateBase, 2},
    {"src_private_base_lo", sgprPrivateBase, 1},
    {"flat_scratch", sgprFlatScratch, 2},
    {"flat_scratch_lo", sgprFlatScratch, 1},
    {"flat_scratch_hi", sgprFlatScratch + 1, 1},
    {"xnack_mask", sgprXnack, 2},
};

bool parseRegister(StringRef text, Operand &operand) {
  for (const NamedRegister &entry : named)
    if (text == entry.name) {
      operand.place = Operand::sgpr, operand.reg = entry.reg, operand.words = entry.words;
      return true;
    }
  if (text.consume_back(".h"))
    operand.select = 1;
  else
    text.consume_back(".l");
  unsigned first = 0, words = 0, base = 0;
  bool isScalar = false;
  if (text.consume_front("ttmp"))
    isScalar = true, base = sgprTtmp;
  else if (text.consume_front("s"))
    isScalar = true;
  else if (text.consume_front("a"))
    base = agprBase;
  else if (!text.consume_front("v"))
    return false;
  if (!parseRange(text, first, words) || first + words > 256)
    return false;
  if (isScalar && first + words > (base ? 16 : 106))
    return false;
  operand.place = isScalar ? Operand::sgpr : Operand::vgpr;
  operand.reg = uint16_t(base + first), operand.words = uint8_t(words);
  return true;
}

uint64_t floatConstant(double value, Type type) {
  if (type == Type::f64 || type == Type::b64 || type == Type::i64)
    return std::bit_cast<uint64_t>(value);
  if (type == Type::f16 || type == Type::pkF16)
    return doubleToHalf(value);
  return std::bit_cast<uint32_t>(float(value));
}

bool parseConstant(StringRef text, Type type, Operand &operand) {
  operand.place = Operand::constant;
  operand.words = isWide(type) ? 2 : 1;
  if (text.consume_front("lit64(") || text.consume_front("lit("))
    text.consume_back(")");
  bool isHex = text.starts_with("0x");
  if (isHex) {
    uint64_t bits = 0;
    if (text.drop_front(2).getAsInteger(16, bits))
      return false;
    if (type == Type::f64 && text.size() <= 10)
      bits <<= 32; // a literal is the high word of a double
    if (type == Type::i64 && text.size() <= 10)
      bits = uint64_t(int64_t(int32_t(bits)));
    operand.value = bits;
    return true;
  }
  int64_t integer = 0;
  if (!text.getAsInteger(10, integer)) {
    operand.value = uint64_t(integer);
    return true;
  }
  double value = 0;
  if (!text.contains('.') || text.getAsDouble(value))
    return false;
  // 1/(2 pi) is printed with the digits of the narrower types: take the constant itself.
  if (text.starts_with("0.1591549"))
    value = 0.15915494309189532;
  operand.value = floatConstant(value, type);
  return true;
}

// The messages with an answer. Only the clock has a meaning here.
bool parseMessage(StringRef text, Operand &operand) {
  operand.place = Operand::constant, operand.words = 1;
  operand.value = 131;
  return text == "MSG_RTN_GET_REALTIME)";
}

bool parseHardwareRegister(StringRef text, Operand &operand) {
  SmallVector<StringRef, 3> parts;
  bool isClosed = text.consume_back(")");
  splitOutside(text, ',', parts);
  if (!isClosed || (parts.size() != 1 && parts.size() != 3))
    return false;
  unsigned begin = 0, bits = 32;
  int id = StringSwitch<int>(parts[0])
               .Case("HW_REG_MODE", 1)
               .Case("HW_REG_STATUS", 2)
               .Case("HW_REG_HW_ID", 4)
               .Case("HW_REG_LDS_ALLOC", 6)
               .Case("HW_REG_XCC_ID", 20)
               .Case("HW_REG_WAVE_MODE", 1)
               .Case("HW_REG_SHADER_CYCLES", 29)
               .Case("HW_REG_SHADER_CYCLES_LO", 29)
               .Case("HW_REG_SHADER_CYCLES_HI", 30)
               .Default(-1);
  if (id < 0)
    return false;
  if (parts.size() == 3 && (parts[1].getAsInteger(0, begin) || parts[2].getAsInteger(0, bits)))
    return false;
  operand.place = Operand::constant, operand.words = 1;
  operand.value = unsigned(id) | begin << 6 | (bits - 1) << 11;
  return true;
}

} // namespace

Syntax splitText(StringRef text) {
  Syntax result;
  auto [mnemonic, rest] = text.trim().split(' ');
  result.mnemonic = mnemonic;
  SmallVector<StringRef, 6> parts;
  splitOutside(rest, ',', parts);
  for (StringRef part : parts) {
    SmallVector<StringRef, 6> words;
    splitOutside(part, ' ', words);
    result.operands.push_back(words.front());
    result.modifiers.append(words.begin() + 1, words.end());
  }
  return result;
}

Error parseOperand(StringRef text, Type type, Operand &operand) {
  StringRef rest = text;
  operand.type = type;
  if (rest == "off") {
    operand.place = Operand::off;
    return Error::success();
  }
  if (rest.starts_with("-") && rest.size() > 1 && !isDigit(rest[1])) {
    operand.isNegated = true;
    rest = rest.drop_front();
  } else if (rest.starts_with("neg(")) {
    operand.isNegated = true;
    rest = rest.drop_front(4).drop_back();
  }
  if (rest.starts_with("|")) {
    operand.isAbsolute = true;
    rest = rest.drop_front().drop_back();
  } else if (rest.starts_with("abs(")) {
    operand.isAbsolute = true;
    rest = rest.drop_front(4).drop_back();
  } else if (rest.starts_with("sext(")) {
    operand.isSignExtended = true;
    rest = rest.drop_front(5).drop_back();
  }
  if (rest.consume_front("hwreg(")) {
    if (parseHardwareRegister(rest, operand))
      return Error::success();
  } else if (rest.consume_front("sendmsg(")) {
    if (parseMessage(rest, operand))
      return Error::success();
  } else if (parseRegister(rest, operand) || parseConstant(rest, type, operand)) {
    unsigned expected = type == Type::raw || type == Type::mask ? operand.words
                        : isWide(type)                          ? 2
                                                                : 1;
    if (operand.reg != sgprNull && operand.words != expected)
      return syntaxError("operand '" + text + "' has " + Twine(unsigned(operand.words)) +
                         " registers where the instruction table has " + Twine(expected));
    return Error::success();
  }
  return syntaxError("operand '" + text + "' is not known");
}

Error parseList(StringRef text, SmallVectorImpl<unsigned> &values) {
  SmallVector<StringRef, 8> parts;
  if (!text.consume_front("[") || !text.consume_back("]"))
    return syntaxError("'" + text + "' is not a list");
  text.split(parts, ',');
  for (StringRef part : parts)
    if (part.trim().getAsInteger(0, values.emplace_back()))
      return syntaxError("'" + part + "' is not a number");
  return Error::success();
}

Expected<bool> parsePermutation(StringRef text, unsigned lanes, Dpp &dpp) {
  auto [name, argument] = text.split(':');
  SmallVector<unsigned, 8> list;
  unsigned n = 0;
  if (argument.starts_with("[")) {
    if (Error error = parseList(argument, list))
      return error;
  } else if (!argument.empty() && argument.getAsInteger(0, n)) {
    return false;
  }
  // The lane that `lane` reads, within or across rows of 16.
  auto set = [&](auto from) {
    for (int lane = 0; lane < int(lanes); ++lane) {
      int source = from(lane, lane & ~15, lane & 15);
      dpp.from[lane] = int8_t(source < 0 || source >= int(lanes) ? -1 : source);
    }
    return true;
  };
  auto inRow = [](int row, int place) { return place < 0 || place > 15 ? -1 : row + place; };
  int by = int(n), size = int(lanes);
  if (name == "quad_perm" && list.size() == 4)
    return set([&](int lane, int, int) { return (lane & ~3) + int(list[lane & 3]); });
  if (name == "dpp8" && list.size() == 8) {
    dpp.readsZero = true; // it has no bound_ctrl: a lane that is off gives zero
    return set([&](int lane, int, int) { return (lane & ~7) + int(list[lane & 7]); });
  }
  if (name == "row_shl")
    return set([&](int, int row, int place) { return inRow(row, place + by); });
  if (name == "row_shr")
    return set([&](int, int row, int place) { return inRow(row, place - by); });
  if (name == "row_ror")
    return set([&](int, int row, int place) { return row + ((place - by) & 15); });
  if (name == "row_mirror")
    return set([&](int, int row, int place) { return row + 15 - place; });
  if (name == "row_half_mirror")
    return set([&](int lane, int, int) { return lane ^ 7; });
  if (name == "row_share" || name == "row_newbcast")
    return set([&](int, int row, int) { return row + by; });
  if (name == "row_xmask")
    return set([&](int, int row, int place) { return row + (place ^ by); });
  if (name == "row_bcast" && n == 15)
    return set([&](int, int row, int) { return row - 1; });
  if (name == "row_bcast" && n == 31)
    return set([&](int lane, int, int) { return lane < 32 ? -1 : 31; });
  if (name == "wave_shl")
    return set([&](int lane, int, int) { return lane + 1; });
  if (name == "wave_shr")
    return set([&](int lane, int, int) { return lane - 1; });
  if (name == "wave_rol")
    return set([&](int lane, int, int) { return (lane + 1) % size; });
  if (name == "wave_ror")
    return set([&](int lane, int, int) { return (lane + size - 1) % size; });
  return false;
}

Expected<int32_t> parseSwizzle(StringRef text) {
  int32_t number = 0;
  if (!text.getAsInteger(0, number))
    return number;
  StringRef all = text;
  SmallVector<StringRef, 6> parts;
  if (!text.consume_front("swizzle(") || !text.consume_back(")"))
    return syntaxError("'" + all + "' is not a swizzle");
  splitOutside(text, ',', parts);
  SmallVector<unsigned, 4> n;
  for (StringRef part : ArrayRef(parts).drop_front())
    if (!part.starts_with("\"") && part.getAsInteger(0, n.emplace_back()))
      return syntaxError("'" + part + "' is not a number");
  // Bits 0-4 select lanes to keep, 5-9 to set, 10-14 to flip; bit 15: a permutation of four.
  if (parts[0] == "QUAD_PERM" && n.size() == 4)
    return int32_t(0x8000 | n[0] | n[1] << 2 | n[2] << 4 | n[3] << 6);
  if (parts[0] == "BROADCAST" && n.size() == 2)
    return int32_t((0x1f & ~(n[0] - 1)) | n[1] << 5);
  if (parts[0] == "SWAP" && n.size() == 1)
    return int32_t(0x1f | n[0] << 10);
  if (parts[0] == "REVERSE" && n.size() == 1)
    return int32_t(0x1f | (n[0] - 1) << 10);
  if (parts[0] == "BITMASK_PERM" && parts.size() == 2 && parts[1].size() == 7) {
    int32_t result = 0;
    for (unsigned bit = 0; bit < 5; ++bit) {
      char c = parts[1][5 - bit];
      result |= c == 'p'   ? 1 << bit
                : c == 'i' ? (1 << bit | 1 << (10 + bit))
                : c == '1' ? 1 << (5 + bit)
                           : 0;
    }
    return result;
  }
  return syntaxError("'" + all + "' is not a swizzle");
}

} // namespace tilerun::amdsim
