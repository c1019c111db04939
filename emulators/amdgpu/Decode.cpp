// From the text of an instruction to its decoded form, by the instruction table.
#include "emulators/amdgpu/Program.h"
#include "emulators/amdgpu/Syntax.h"
#include "emulators/amdgpu/Types.h"

#include "llvm/ADT/StringMap.h"

#include <array>

namespace tilerun::amdsim {

using namespace llvm;

namespace {

struct Table {
  std::vector<const OpcodeRow *> rows;
  StringMap<uint16_t> bySpelling;
  Table() {
    for (ArrayRef<OpcodeRow> list :
         {scalarRows(), scalarMemoryRows(), controlRows(), vectorRows(), floatRows(), packedRows(),
          compareRows(), laneRows(), ldsRows(), ldsAtomicRows(), globalRows(), globalAtomicRows(),
          matrixRows()})
      for (const OpcodeRow &row : list) {
        SmallVector<StringRef, 4> spellings;
        StringRef(row.spellings).split(spellings, '|');
        for (StringRef spelling : spellings) {
          [[maybe_unused]] bool isNew =
              bySpelling.try_emplace(spelling, uint16_t(rows.size())).second;
          assert(isNew && "two rows have this spelling");
        }
        rows.push_back(&row);
      }
  }
};
const Table &table() {
  static const Table it;
  return it;
}

// The row of a mnemonic, whose suffix names an encoding.
const OpcodeRow *rowOf(const Syntax &syntax, uint16_t &index) {
  std::string name = syntax.mnemonic.str();
  if (StringRef(name).starts_with("v_dual_"))
    name.erase(2, 5);
  // Some instructions are others with these modifiers.
  auto find = [&](StringRef spelling) -> const OpcodeRow * {
    for (StringRef modifier : {"clamp", "lds"})
      if (is_contained(syntax.modifiers, modifier))
        if (const OpcodeRow *row = findRow((spelling + " " + modifier).str(), &index))
          return row;
    return findRow(spelling, &index);
  };
  if (const OpcodeRow *row = find(name))
    return row;
  StringRef stem = name;
  for (StringRef suffix : {"_dpp", "_sdwa", "_e64", "_e32"})
    stem.consume_back(suffix);
  return find(stem);
}

class Decoder {
public:
  Decoder(const DecodeContext &context, Instruction &result) : context(context), inst(result) {}
  Error decode(const Syntax &syntax);

private:
  Error operands(const Syntax &syntax);
  Error modifier(StringRef text);
  Error outputModifier(StringRef text);
  Error selects(StringRef name, StringRef list);
  Error waitCounts(const Syntax &syntax);
  Expected<uint8_t> sdwaSelect(StringRef text);
  Error finish();

  const DecodeContext &context;
  Instruction &inst;
  Dpp dpp = {{}, 0xf, 0xf, false, false};
};

Error Decoder::decode(const Syntax &syntax) {
  uint16_t index = 0;
  inst.row = rowOf(syntax, index);
  if (!inst.row)
    return syntaxError("unknown instruction");
  inst.run = inst.row->run;
  inst.rowIndex = index;
  if (inst.row->flags & ignoresText)
    return Error::success();
  if (inst.row->flags & waits)
    return waitCounts(syntax);
  if (syntax.mnemonic.ends_with("_sdwa"))
    inst.flags |= isSdwa;
  if (syntax.mnemonic.ends_with("_dpp"))
    inst.flags |= isDpp;
  if (Error error = operands(syntax))
    return error;
  for (StringRef text : syntax.modifiers)
    if (Error error = modifier(text))
      return error;
  // Rows with the spelling "... clamp" saturate by themselves.
  if (StringRef(inst.row->spellings).contains(" clamp"))
    inst.flags &= ~clamp;
  else if ((inst.flags & clamp) && !isFloat(inst.row->types[0]))
    return syntaxError("'clamp' is not supported for this instruction");
  return finish();
}

Error Decoder::operands(const Syntax &syntax) {
  const OpcodeRow &row = *inst.row;
  unsigned count = 0;
  while (count < std::size(row.types) && row.types[count] != Type::none)
    ++count;
  SmallVector<StringRef, 6> texts(syntax.operands);
  bool isCompareToExec = (row.flags & writesExec) && texts.size() + 1 == count;
  if (isCompareToExec)
    texts.insert(texts.begin(), context.lanes == 32 ? "exec_lo" : "exec");
  // An atomic operation that returns nothing has one operand less.
  bool dropsResult = (row.flags & returns) && texts.size() + 1 == count;
  if (row.flags & returns && !dropsResult)
    inst.flags |= hasReturn;
  if (texts.size() + 1 == count && row.types[count - 1] == Type::mask)
    texts.push_back(context.lanes == 32 ? "vcc_lo" : "vcc");
  if (texts.size() + dropsResult != count)
    return syntaxError(Twine(texts.size()) + " operands where the instruction table has " +
                       Twine(count));
  for (unsigned i = dropsResult, given = 0; i < count; ++i, ++given) {
    Operand &operand = i < row.results ? inst.dst[i] : inst.src[i - row.results];
    if (Error error = parseOperand(texts[given], row.types[i], operand))
      return error;
    if (isPacked(operand.type) || operand.type == Type::pkF32)
      operand.select |= 2; // op_sel_hi is on unless the text says otherwise
  }
  inst.sources = uint8_t(count - row.results);
  if (row.flags & accumulates)
    inst.src[inst.sources++] = inst.dst[0];
  if (row.flags & readsVcc)
    if (Error error = parseOperand(context.lanes == 32 ? "vcc_lo" : "vcc", Type::mask,
                                   inst.src[inst.sources++]))
      return error;
  return Error::success();
}

Error Decoder::selects(StringRef name, StringRef text) {
  SmallVector<unsigned, 8> list;
  if (Error error = parseList(text, list))
    return error;
  bool isSign = name == "neg_lo" || name == "neg_hi";
  bool takesSigns = isFloat(inst.row->types[0]) || (inst.row->flags & readsLists);
  // An accumulator is the destination, whose half the last element chooses for both.
  bool accumulatesHalf = (inst.row->flags & accumulates) && isHalf(inst.row->types[0]);
  unsigned sources = inst.sources - accumulatesHalf;
  for (unsigned i = 0; i < list.size(); ++i) {
    if (isSign && list[i] && !takesSigns)
      return syntaxError("'" + name + "' is not supported for this instruction");
    if (name == "op_sel")
      inst.opSel |= uint8_t(list[i] << i);
    if (accumulatesHalf && i >= sources && i + 1 < list.size())
      continue;
    if (i >= sources) {
      if (name == "op_sel" && list[i])
        inst.writesHigh = true; // the last element is the destination
      continue;
    }
    Operand &operand = inst.src[i];
    if (name == "op_sel")
      operand.select = uint8_t((operand.select & ~1) | list[i]);
    else if (name == "op_sel_hi")
      operand.select = uint8_t((operand.select & ~2) | list[i] << 1);
    else if (name == "neg_lo")
      operand.isNegated = list[i];
    else
      operand.negateHigh = uint8_t(list[i]);
  }
  return Error::success();
}

Expected<uint8_t> Decoder::sdwaSelect(StringRef text) {
  constexpr StringRef names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                 "WORD_0", "WORD_1", "DWORD"};
  for (unsigned i = 0; i < std::size(names); ++i)
    if (text == names[i])
      return uint8_t(i);
  return syntaxError("'" + text + "' does not select a part of a register");
}

Error Decoder::outputModifier(StringRef text) {
  Type type = inst.row->types[0];
  if (type != Type::f32 && type != Type::f16 && type != Type::f64)
    return syntaxError("output modifier '" + text + "' is not supported for this instruction");
  inst.outputScale = text == "mul:2" ? 1 : text == "mul:4" ? 2 : -1;
  return Error::success();
}

Error Decoder::modifier(StringRef text) {
  auto [name, argument] = text.split(':');
  int64_t number = 0;
  bool isNumber = !argument.getAsInteger(0, number);
  if (name == "op_sel" || name == "op_sel_hi" || name == "neg_lo" || name == "neg_hi")
    return selects(name, argument);
  if (name == "offset" || name == "offset0" || name == "offset1") {
    if (!isNumber && argument.starts_with("swizzle(")) {
      Expected<int32_t> swizzle = parseSwizzle(argument);
      if (!swizzle)
        return swizzle.takeError();
      number = *swizzle, isNumber = true;
    }
    (name == "offset1" ? inst.offset1 : inst.offset0) = int32_t(number);
    return isNumber ? Error::success() : syntaxError("'" + text + "' is not a number");
  }
  if (name == "dst_sel" || name == "src0_sel" || name == "src1_sel") {
    Expected<uint8_t> part = sdwaSelect(argument);
    if (!part)
      return part.takeError();
    (name == "dst_sel" ? inst.dstSelect : inst.src[name == "src1_sel"].sdwa) = *part;
    return Error::success();
  }
  if (name == "dst_unused") {
    inst.dstUnused = argument == "UNUSED_PRESERVE" ? 2 : argument == "UNUSED_SEXT" ? 1 : 0;
    return Error::success();
  }
  if (name == "row_mask" && isNumber)
    return dpp.rowMask = uint8_t(number), Error::success();
  if (name == "bank_mask" && isNumber)
    return dpp.bankMask = uint8_t(number), Error::success();
  if (name == "bound_ctrl")
    return dpp.readsZero = true, Error::success();
  if (name == "fi")
    return dpp.readsInactive = number, Error::success();
  if (name == "mul" || name == "div")
    return outputModifier(text);
  // Formats of operands, of the instructions that take several.
  if ((name == "cbsz" || name == "blgp") && isNumber &&
      StringRef(inst.row->spellings).ends_with("_f8f6f4"))
    return (name == "cbsz" ? inst.offset0 : inst.offset1) = int32_t(number), Error::success();
  if (name == "bitop3" && isNumber)
    return inst.offset0 = int32_t(number), Error::success();
  if (name == "byte_sel" && isNumber)
    return inst.byteSelect = uint8_t(number & 3), Error::success();
  // Atomic operations on buffers have no operand for the old value: it replaces the data.
  if (inst.row->family == Family::atomic && inst.row->results == 0 &&
      (name == "glc" || name == "sc0" ||
       (name == "th" && argument.starts_with("TH_ATOMIC_") && argument.ends_with("RETURN"))))
    return inst.flags |= hasReturn, Error::success();
  static const StringMap<uint16_t> flags = {{"clamp", clamp},
                                            {"offen", offen},
                                            {"idxen", idxen},
                                            {"lds", toLds},
                                            // Cache policies and scopes: memory is coherent here.
                                            {"glc", 0},
                                            {"slc", 0},
                                            {"dlc", 0},
                                            {"nt", 0},
                                            {"sc0", 0},
                                            {"sc1", 0},
                                            {"scope", 0},
                                            {"th", 0}};
  if (auto it = flags.find(name); it != flags.end())
    return inst.flags |= it->second, Error::success();
  Expected<bool> isPermutation = parsePermutation(text, context.lanes, dpp);
  if (!isPermutation)
    return isPermutation.takeError();
  if (!*isPermutation)
    return syntaxError("modifier '" + text + "' is not known");
  return inst.flags |= isDpp, Error::success();
}

// Counts to wait for: offset0 for vector memory, offset1 for LDS and scalar memory; -1 for any.
Error Decoder::waitCounts(const Syntax &syntax) {
  inst.offset0 = inst.offset1 = -1;
  SmallVector<StringRef, 6> texts(syntax.operands);
  texts.append(syntax.modifiers.begin(), syntax.modifiers.end());
  for (StringRef text : texts) {
    auto [name, rest] = text.split('(');
    int32_t count = 0;
    if (text == "null" || text == "&")
      continue;
    if (!text.getAsInteger(0, count)) {
      inst.offset0 = count;
      continue;
    }
    if (!rest.consume_back(")") || rest.getAsInteger(0, count))
      return syntaxError("'" + text + "' is not a count to wait for");
    if (name == "vmcnt")
      inst.offset0 = count;
    else if (name == "lgkmcnt")
      inst.offset1 = count;
    else if (name != "expcnt")
      return syntaxError("'" + text + "' is not a count to wait for");
  }
  return Error::success();
}

Error Decoder::finish() {
  if (inst.flags & isDpp) {
    inst.src[0].isPermuted = true;
    inst.dpp = &context.permutations->emplace_back(dpp);
  }
  inst.writesHigh |= inst.dst[0].select & 1 && isHalf(inst.dst[0].type);
  if ((inst.row->flags & accumulates) && isHalf(inst.row->types[0]))
    inst.src[inst.sources - 1].select = inst.writesHigh;
  for (Operand &o : MutableArrayRef(inst.src, inst.sources)) {
    bool hasModifier = o.isNegated || o.isAbsolute || o.isSignExtended || o.isPermuted ||
                       o.negateHigh || o.sdwa != 6;
    unsigned plainSelect = isPacked(o.type) || o.type == Type::pkF32 ? 2 : 0;
    o.isPlain = o.place == Operand::vgpr && !hasModifier && o.select == plainSelect;
    bool takesSelect = isHalf(o.type) || isPacked(o.type) || o.type == Type::pkF32;
    if ((o.select & 1) && !takesSelect && !(inst.row->flags & readsSelects))
      return syntaxError("a high half of this operand is not supported");
  }
  bool selectsHigh = inst.writesHigh || (inst.row->results && (inst.dst[0].select & 1));
  if (selectsHigh && !isHalf(inst.dst[0].type) && !(inst.row->flags & readsSelects))
    return syntaxError("a high half of the result is not supported");
  inst.dst[0].isPlain = inst.dst[0].place == Operand::vgpr && !inst.writesHigh &&
                        inst.dstSelect == 6 && !(inst.flags & clamp) && !inst.outputScale;
  return Error::success();
}

} // namespace

const OpcodeRow *findRow(StringRef spelling, uint16_t *index) {
  auto it = table().bySpelling.find(spelling);
  if (it == table().bySpelling.end())
    return nullptr;
  if (index)
    *index = it->second;
  return table().rows[it->second];
}
unsigned rowCount() { return unsigned(table().rows.size()); }
const OpcodeRow &rowAt(unsigned index) { return *table().rows[index]; }

Error decodeText(StringRef text, const DecodeContext &context, Instruction &result) {
  auto [first, second] = text.split(" :: ");
  if (Error error = Decoder(context, result).decode(splitText(first)))
    return error;
  if (second.empty())
    return Error::success();
  Instruction &other = context.seconds->emplace_back();
  if (Error error = Decoder(context, other).decode(splitText(second)))
    return error;
  result.second = &other;
  return Error::success();
}

} // namespace tilerun::amdsim
