// `tilerun layout`: a layout as text or picture, and what it takes to get from it to another one.
#include "ir/layout/NamedLayouts.h"
#include "ir/target/GenericTarget.h"
#include "runtime/compiler/Backend.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/SmallKernel.h"
#include "tools/tilerun/host/AtomicFile.h"
#include "tools/tilerun/picture/LayoutGrid.h"

#include "llvm/Support/Path.h"

#include <bit>

using namespace tilerun;
using namespace tilerun::command;

/// Rows and columns that text shows, and cells that a picture shows, unless --slice asks for more.
static constexpr uint64_t kTextRows = 16, kTextColumns = 8, kMostCells = 16384;

/// The table of a target that a plugin compiles for: its IR with layouts begins with it.
static llvm::Expected<target::TargetInfo> askPlugin(const std::string &name,
                                                    const Options &options) {
  TILERUN_TRY_VALUE(compiler, findCompiler(name));
  std::string text;
  TilerunCompileOptions settings = {};
  settings.struct_size = sizeof(settings);
  std::tie(settings.num_warps, settings.num_stages, settings.num_ctas) = std::tuple(4, 3, 1);
  core::Status status = compiler::Backend::emit(
      *compiler, name, compileSmallKernel(options), settings, "layout",
      [&](const TilerunPluginArtifact &artifact) {
        text.assign(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
      });
  llvm::StringRef rest = text;
  constexpr llvm::StringRef begin = "#distribute.target<\"";
  size_t at = rest.find(begin);
  if (!status.isOk() || at == llvm::StringRef::npos)
    return makeUsageError("--target: " + name + " distributes nothing over threads" +
                          (status.isOk() ? "" : ": " + status.getMessage()));
  return target::parseTarget(rest.drop_front(at + begin.size()).split('"').first);
}

static llvm::Expected<target::TargetInfo> getTarget(const Options &options) {
  if (options.targets.size() > 1)
    return makeUsageError("--target: a layout is shown for one target");
  std::string name = options.targets.empty() ? "generic:" : options.targets.front();
  if (!llvm::StringRef(name).starts_with("generic:"))
    return askPlugin(name, options);
  llvm::Expected<target::TargetInfo> info = target::parseTarget(name);
  if (!info)
    return makeUsageError("--target: " + llvm::toString(info.takeError()));
  return info;
}

/// Bytes of an element, as registers and memory hold it.
static llvm::Expected<unsigned> getElementBytes(llvm::StringRef text) {
  std::optional<DType> type = parseDType(text);
  if (!type || (!type->isPointer() && type->getBits() == 0))
    return makeUsageError("--element: '" + text + "' is not an element type, such as f16");
  return std::max(1u, type->getBits() / 8);
}

namespace {
enum class Format { Text, Svg, Html };
} // namespace

static llvm::Expected<Format> getFormat(const Options &options) {
  llvm::StringRef name = options.format;
  if (name.empty())
    name = llvm::sys::path::extension(options.output).ltrim('.');
  if (name == "svg")
    return Format::Svg;
  if (name == "html" || name == "htm")
    return Format::Html;
  if (options.format.empty() && (options.output == "-" || name == "txt"))
    return Format::Text;
  if (name == "text")
    return Format::Text;
  return makeUsageError("-o: '" + options.output +
                        "' ends in neither .svg, .html nor .txt; --format says which it is");
}

static llvm::json::Array toJson(llvm::ArrayRef<picture::Grids> all) {
  return jsonArray(all, [](const picture::Grids &grids) {
    return llvm::json::Object{{"title", jsonText(grids.title)},
                              {"cells_are", jsonText(grids.legend)},
                              {"grids", jsonArray(grids.grids, [](const picture::Grid &grid) {
                                 return llvm::json::Object{
                                     {"title", jsonText(grid.title)},
                                     {"rows", jsonTexts(grid.rows)},
                                     {"columns", jsonTexts(grid.columns)},
                                     {"cells", jsonArray(grid.cells, [](const picture::Cell &cell) {
                                        return jsonText(cell.text);
                                      })}};
                               })}};
  });
}

/// The part that is shown; a note says what is left out.
static llvm::Expected<picture::Slice>
getSlice(const Options &options, llvm::ArrayRef<uint64_t> shape, Format format, std::string &note) {
  picture::Slice slice = picture::wholeTensor(shape);
  if (options.slice) {
    llvm::Expected<picture::Slice> given = picture::parseSlice(*options.slice, shape);
    if (!given)
      return makeUsageError("--slice: " + llvm::toString(given.takeError()));
    slice = *given;
  } else if (format == Format::Text) {
    slice = picture::firstCells(shape, kTextRows, kTextColumns);
    if (slice != picture::wholeTensor(shape))
      note = "this is the first part; --slice START:END,… shows others, -o FILE.svg all\n";
  }
  if (picture::countCells(slice) > kMostCells)
    return makeUsageError("the tensor has more than " + llvm::Twine(kMostCells) +
                          " elements; --slice START:END,… chooses the part to show");
  return slice;
}

llvm::Expected<ExitCode> command::runLayout(const Options &options) {
  TILERUN_TRY_VALUE(format, getFormat(options));
  TILERUN_TRY_VALUE(target, getTarget(options));
  TILERUN_TRY_VALUE(elementBytes, getElementBytes(options.element));
  const layout::LayoutDefaults defaults = {target.warpSize, 4, elementBytes};
  auto read = [&](llvm::StringRef what,
                  const std::string &text) -> llvm::Expected<picture::LayoutFacts> {
    llvm::Expected<layout::LinearLayout> map = layout::parseNamedLayout(text, defaults);
    if (!map)
      return makeUsageError(what + llvm::toString(map.takeError()));
    llvm::Expected<picture::LayoutFacts> facts =
        picture::describeLayout(*map, target, elementBytes);
    if (!facts)
      return makeUsageError(what + llvm::toString(facts.takeError()));
    return facts;
  };
  TILERUN_TRY_VALUE(facts, read("", options.target));
  std::string note;
  TILERUN_TRY_VALUE(slice, getSlice(options, facts.shape, format, note));

  std::vector<picture::Grids> grids = {picture::makeGrids(facts, slice, target, elementBytes)};
  std::string text;
  llvm::raw_string_ostream os(text);
  picture::printFacts(os, facts, elementBytes);
  llvm::json::Object object{{"status", "ok"},
                            {"exit_code", 0},
                            {"target", jsonText(target.name)},
                            {"element_bytes", elementBytes},
                            {"from", picture::toJson(facts)}};
  if (options.to) {
    TILERUN_TRY_VALUE(to, read("--to: ", *options.to));
    llvm::Expected<picture::Transfer> transfer =
        picture::planTransfer(facts, to, target, elementBytes);
    if (!transfer)
      return makeUsageError("--to: " + llvm::toString(transfer.takeError()));
    os << "\nto ";
    picture::printFacts(os, to, elementBytes);
    os << "\n";
    picture::printFacts(os, *transfer);
    grids.push_back(transfer->plan ? picture::makeGrids(*transfer, to, slice)
                                   : picture::makeGrids(to, slice, target, elementBytes));
    object["to"] = picture::toJson(to);
    object["transfer"] = picture::toJson(*transfer);
  }
  object["pictures"] = toJson(grids);

  std::string content;
  llvm::raw_string_ostream out(content);
  switch (format) {
  case Format::Text:
    out << text;
    for (const picture::Grids &each : grids) {
      out << "\n";
      picture::printGrids(out, each);
    }
    out << note;
    break;
  case Format::Svg:
    picture::writeSvg(out, grids);
    break;
  case Format::Html:
    picture::writeHtml(out, options.to ? options.target + " to " + *options.to : options.target,
                       text, grids);
    break;
  }
  if (options.output != "-") {
    llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(options.output);
    if (!file)
      return makeUsageError(llvm::toString(file.takeError()));
    if (llvm::Error error = file->commit(content))
      return withExitCode(std::move(error), ExitCode::Usage);
    object["file"] = jsonText(options.output);
  }
  if (options.json)
    printJson(std::move(object));
  else
    llvm::outs() << (options.output == "-" ? content : text);
  return ExitCode::Ok;
}
