// Registration of the `distribute` dialect, the text of its attributes, and the program's settings
// on a module.
#include "ir/distribute/DistributeDialect.h"
#include "ir/target/GenericTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;

#include "ir/distribute/DistributeDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/distribute/DistributeAttrs.cpp.inc"

namespace {
/// Long attributes get a line of their own, and equal ones share it.
struct AliasInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    StringRef name = llvm::TypeSwitch<Attribute, StringRef>(attribute)
                         .Case([](LayoutAttr) { return "layout"; })
                         .Case([](TargetAttr) { return "target"; })
                         .Case([](AccessAttr) { return "access"; })
                         .Case([](DotAttr) { return "dot"; })
                         .Default(StringRef());
    os << name;
    return name.empty() ? AliasResult::NoAlias : AliasResult::FinalAlias;
  }
};
} // namespace

void DistributeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/distribute/DistributeAttrs.cpp.inc"
      >();
  addInterfaces<AliasInterface>();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `<"text">`, read by `parse`, whose error is reported at the text.
template <typename T>
static FailureOr<T> parseQuoted(AsmParser &parser, llvm::Expected<T> (*parse)(StringRef)) {
  std::string text;
  if (parser.parseLess())
    return failure();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return failure();
  llvm::Expected<T> parsed = parse(text);
  if (!parsed)
    return parser.emitError(place, llvm::toString(parsed.takeError()));
  return std::move(*parsed);
}

static void printQuoted(AsmPrinter &printer, StringRef text) {
  printer << "<";
  printer.printString(text);
  printer << ">";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  auto layout = parseQuoted(parser, layout::LinearLayout::parse);
  return failed(layout) ? Attribute() : get(parser.getContext(), std::move(*layout));
}

void LayoutAttr::print(AsmPrinter &printer) const { printQuoted(printer, getMap().toString()); }

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  auto target = parseQuoted(parser, target::parseTarget);
  return failed(target) ? Attribute() : get(parser.getContext(), std::move(*target));
}

void TargetAttr::print(AsmPrinter &printer) const {
  printQuoted(printer, target::printTarget(getInfo()));
}

//===----------------------------------------------------------------------===//
// Settings of a program
//===----------------------------------------------------------------------===//

void distribute::setProgram(ModuleOp module, const Program &program) {
  Builder b(module.getContext());
  b.getContext()->loadDialect<DistributeDialect>();
  module->setAttr(DistributeDialect::kTargetAttr,
                  TargetAttr::get(module.getContext(), *program.target));
  module->setAttr(DistributeDialect::kNumWarpsAttr, b.getI32IntegerAttr(program.numWarps));
  module->setAttr(DistributeDialect::kNumStagesAttr,
                  b.getI32IntegerAttr(std::max(program.numStages, 1u)));
  if (program.warpUnit)
    module->setAttr(DistributeDialect::kWarpUnitAttr, b.getI32IntegerAttr(program.warpUnit));
  else
    module->removeAttr(DistributeDialect::kWarpUnitAttr);
  if (program.acrossK != AcrossK::Auto)
    module->setAttr(DistributeDialect::kAcrossKAttr, b.getStringAttr(toString(program.acrossK)));
  else
    module->removeAttr(DistributeDialect::kAcrossKAttr);
  if (program.numCtas > 1)
    module->setAttr(DistributeDialect::kNumCtasAttr, b.getI32IntegerAttr(program.numCtas));
  else
    module->removeAttr(DistributeDialect::kNumCtasAttr);
  if (program.fewPrograms)
    module->setAttr(DistributeDialect::kFewProgramsAttr, b.getUnitAttr());
  else
    module->removeAttr(DistributeDialect::kFewProgramsAttr);
}

FailureOr<Program> distribute::getProgram(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(DistributeDialect::kTargetAttr);
  if (!target)
    // At the place alone: with the operation, the whole module would be printed.
    return emitError(module.getLoc(), "the module has no '")
           << DistributeDialect::kTargetAttr << "'; run tile-set-target first";
  auto number = [&](StringRef name, unsigned otherwise) {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? unsigned(attribute.getInt()) : otherwise;
  };
  Program program;
  program.target = &target.getInfo();
  program.numWarps = number(DistributeDialect::kNumWarpsAttr, program.numWarps);
  program.numStages = number(DistributeDialect::kNumStagesAttr, program.numStages);
  program.warpUnit = number(DistributeDialect::kWarpUnitAttr, program.warpUnit);
  program.numCtas = number(DistributeDialect::kNumCtasAttr, program.numCtas);
  program.fewPrograms = module->hasAttr(DistributeDialect::kFewProgramsAttr);
  // The verifier knows that it is one of the words.
  if (auto way = module->getAttrOfType<StringAttr>(DistributeDialect::kAcrossKAttr))
    program.acrossK = parseAcrossK(way).value_or(program.acrossK);
  return program;
}

uint64_t distribute::numWarpsOption(const Program &program, uint64_t threads) {
  return threads / (program.warpUnit ? program.warpUnit : program.target->warpSize);
}

void distribute::dropAttributes(Operation *root) {
  auto *dialect = root->getContext()->getLoadedDialect<DistributeDialect>();
  root->walk([&](Operation *op) {
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    auto isOurs = [&](NamedAttribute attribute) { return attribute.getNameDialect() == dialect; };
    if (llvm::none_of(attributes, isOurs))
      return;
    SmallVector<NamedAttribute> kept;
    llvm::copy_if(attributes, std::back_inserter(kept), std::not_fn(isOurs));
    op->setDiscardableAttrs(kept);
  });
}
