// Reading of inline assembly's text and constraints, by LLVM's own parser where it has one.
#include "ir/tile/InlineAsm.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

#include <numeric>

using namespace mlir;
using namespace tilerun::tile;
using llvm::Twine;

unsigned tilerun::tile::getElementsPerRegister(Type element, unsigned pack) {
  unsigned bits = isa<PointerType>(element)     ? 64
                  : isa<F8E4M3B15Type>(element) ? 8
                  : element.isIntOrFloat()      ? element.getIntOrFloatBitWidth()
                                                : 32;
  if (bits < 8 || bits >= 32)
    return 1;
  return std::gcd(pack, 32 / bits);
}

unsigned tilerun::tile::getRegisters(Type element, unsigned pack) {
  return pack / getElementsPerRegister(element, pack);
}

static unsigned countRegisters(TypeRange types, unsigned pack) {
  unsigned count = 0;
  for (Type type : types)
    count += getRegisters(getElementTypeOrSelf(type), pack);
  return count;
}

static bool isImmediate(StringRef constraint) { return constraint == "n" || constraint == "i"; }

/// The text with each operand's number replaced: by `names[number]`.
static std::string renumber(StringRef text, ArrayRef<std::string> names) {
  std::string out;
  while (!text.empty()) {
    size_t at = text.find('$');
    out += text.take_front(at);
    if (at == StringRef::npos)
      break;
    text = text.drop_front(at + 1);
    StringRef rest = text;
    bool inBraces = rest.consume_front("{");
    unsigned number = 0;
    bool isOperand = !rest.consumeInteger(10, number) && number < names.size();
    const bool isNumber = isOperand && !StringRef(names[number]).starts_with("$");
    if (!isOperand || (isNumber && inBraces && !rest.starts_with("}"))) {
      out += '$';
      if (text.consume_front("$"))
        out += '$';
      continue;
    }
    StringRef name = names[number];
    if (isNumber)
      rest.consume_front(inBraces ? "}" : "");
    else if (inBraces)
      out += "${" + name.drop_front().str();
    if (isNumber || !inBraces)
      out += name;
    text = rest;
  }
  return out;
}

ImmediateOperands tilerun::tile::expandImmediates(StringRef text, StringRef constraints,
                                                  unsigned pack, TypeRange operands,
                                                  ArrayRef<std::optional<int64_t>> constants) {
  ImmediateOperands out{text.str(), constraints.str(), {}, ""};
  SmallVector<StringRef> items;
  constraints.split(items, ',');
  if (llvm::none_of(items, isImmediate)) {
    llvm::append_range(out.kept, llvm::seq<unsigned>(0, operands.size()));
    return out;
  }
  // The registers that arguments go into, in order: outputs with '+' first.
  SmallVector<size_t> places;
  unsigned outputs = 0;
  for (auto [i, item] : llvm::enumerate(items)) {
    outputs += item.starts_with("=") || item.starts_with("+");
    if (item.starts_with("+"))
      places.push_back(i);
  }
  const size_t tied = places.size();
  for (auto [i, item] : llvm::enumerate(items))
    if (!item.starts_with("=") && !item.starts_with("+") && !item.starts_with("~"))
      places.push_back(i);
  SmallVector<std::string> names(outputs + places.size() - tied);
  for (auto [i, name] : llvm::enumerate(names))
    name = "$" + std::to_string(i);
  SmallVector<bool> goes(items.size());
  size_t next = 0;
  for (unsigned operand = 0; operand < operands.size(); ++operand) {
    const size_t begin = next;
    next += getRegisters(getElementTypeOrSelf(operands[operand]), pack);
    if (next > places.size())
      break; // Too few constraints: reported where they are counted.
    auto mine = ArrayRef(places).slice(begin, next - begin);
    if (llvm::none_of(mine, [&](size_t place) { return isImmediate(items[place]); })) {
      out.kept.push_back(operand);
      continue;
    }
    if (!constants[operand]) {
      out.error = ("has a constraint '" + items[mine.front()] + "' for argument " + Twine(operand) +
                   ", which must be an integer known at compile time; use 'r' or 'l' for one that "
                   "is known only at run time")
                      .str();
      return out;
    }
    for (size_t i = begin; i < next; ++i) {
      names[outputs + i - tied] = std::to_string(*constants[operand]);
      goes[places[i]] = true;
    }
  }
  if (next != places.size()) {
    out.kept.assign(llvm::to_vector(llvm::seq<unsigned>(0, operands.size())));
    return out;
  }
  unsigned number = 0;
  for (std::string &name : names)
    if (StringRef(name).starts_with("$"))
      name = "$" + std::to_string(number++);
  out.text = renumber(text, names);
  SmallVector<StringRef> left;
  for (auto [item, gone] : llvm::zip(items, goes))
    if (!gone)
      left.push_back(item);
  out.constraints = llvm::join(left, ",");
  return out;
}

ReadWriteConstraints tilerun::tile::expandReadWrite(StringRef constraints, unsigned pack,
                                                    TypeRange operands) {
  ReadWriteConstraints out;
  for (unsigned i = 0; i < operands.size(); ++i)
    out.order.push_back(i);
  out.constraints = constraints.str();
  if (!constraints.contains('+'))
    return out;
  SmallVector<StringRef> items, clobbers;
  SmallVector<std::string> tied, kept;
  constraints.split(items, ',');
  unsigned outputs = 0;
  for (StringRef item : items) {
    if (item.starts_with("~")) {
      clobbers.push_back(item);
      continue;
    }
    outputs += item.starts_with("=") || item.starts_with("+");
    if (item.consume_front("+")) {
      tied.push_back(std::to_string(outputs - 1));
      kept.push_back(("=" + item).str());
    } else {
      kept.push_back(item.str());
    }
  }
  // Whole operands go into the outputs.
  unsigned registers = 0, count = 0;
  while (registers < tied.size() && count < operands.size())
    registers += getRegisters(getElementTypeOrSelf(operands[count++]), pack);
  if (registers != tied.size()) {
    out.error =
        ("has " + Twine(tied.size()) + " constraint" + (tied.size() == 1 ? "" : "s") +
         " with '+', but the first argument" + (count == 1 ? "" : "s") +
         " of 'args', which "
         "go into them, take " +
         Twine(registers) + " register" + (registers == 1 ? "" : "s") + " with pack=" + Twine(pack))
            .str();
    return out;
  }
  std::rotate(out.order.begin(), out.order.begin() + count, out.order.end());
  llvm::append_range(kept, tied);
  llvm::append_range(kept, clobbers);
  out.constraints = llvm::join(kept, ",");
  return out;
}

/// Operand numbers and escapes of the text, which LLVM's printer would stop the process over.
static std::string checkText(StringRef text, unsigned numOperands) {
  auto checkNumber = [&](StringRef digits) -> std::string {
    unsigned number = 0;
    if (digits.getAsInteger(10, number) || number >= numOperands)
      return ("names operand $" + digits + ", but there are " + Twine(numOperands) +
              ", counted from 0")
          .str();
    return "";
  };
  for (size_t at = text.find('$'); at != StringRef::npos; at = text.find('$', at)) {
    StringRef rest = text.drop_front(at + 1);
    if (rest.starts_with("$")) {
      at += 2;
      continue;
    }
    bool inBraces = rest.consume_front("{");
    if (inBraces && (rest.starts_with(":uid}") || rest.starts_with(":private}"))) {
      at += 2; // A number of this instance, for its labels.
      continue;
    }
    StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.empty())
      return "has a '$' that no operand's number follows; write $$ for the character itself";
    if (std::string error = checkNumber(digits); !error.empty())
      return error;
    if (inBraces) {
      rest = rest.drop_front(digits.size());
      bool hasModifier = rest.consume_front(":");
      if (hasModifier)
        rest = rest.drop_front(std::min<size_t>(rest.size(), 1));
      if (!rest.starts_with("}"))
        return ("has '${" + digits + "' without '}' after it").str();
    }
    at += 1;
  }
  return "";
}

std::string tilerun::tile::checkInlineAsm(StringRef text, StringRef constraints, unsigned pack,
                                          TypeRange operands, TypeRange results) {
  // Blanks around the parts are usual, and not LLVM's.
  auto list = llvm::InlineAsm::ParseConstraints(constraints);
  if (list.empty() && !constraints.empty())
    return ("has constraints that cannot be read: '" + constraints +
            "'; write one for each register, outputs first, like \"=r,r,r\"")
        .str();
  unsigned outputs = 0, inputs = 0;
  bool hasClobbers = false;
  for (const llvm::InlineAsm::ConstraintInfo &item : list) {
    if (item.isIndirect || item.isMultipleAlternative || item.Type == llvm::InlineAsm::isLabel)
      return "has a constraint with '*', '|' or '!', which kernels do not support";
    if (item.Type == llvm::InlineAsm::isClobber) {
      hasClobbers = true;
      continue;
    }
    bool isOutput = item.Type == llvm::InlineAsm::isOutput;
    if (hasClobbers || (isOutput && inputs))
      return "must have its constraints in order: outputs, inputs, clobbers";
    ++(isOutput ? outputs : inputs);
  }
  unsigned wantedOutputs = countRegisters(results, pack);
  unsigned wantedInputs = countRegisters(operands, pack);
  auto mismatch = [&](StringRef what, unsigned seen, StringRef whose, unsigned wanted) {
    return ("has " + Twine(seen) + " " + what + " constraint" + (seen == 1 ? "" : "s") + ", but " +
            whose + " take " + Twine(wanted) + " register" + (wanted == 1 ? "" : "s") +
            " with pack=" + Twine(pack))
        .str();
  };
  if (outputs != wantedOutputs)
    return mismatch("output", outputs, "the results", wantedOutputs);
  if (inputs != wantedInputs)
    return mismatch("input", inputs, "the arguments", wantedInputs);
  return checkText(text, outputs + inputs);
}
