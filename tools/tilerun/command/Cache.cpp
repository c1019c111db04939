// `tilerun cache`: shows, verifies and clears the cache of compiled kernels.
#include "tools/tilerun/command/Commands.h"

#include "runtime/cache/DiskCache.h"

using namespace tilerun;
using namespace tilerun::command;
using llvm::json::Object;

static std::string formatMiB(uint64_t bytes) {
  return llvm::formatv("{0:f1} MiB", double(bytes) / (1 << 20)).str();
}

static Object toJson(const cache::DiskCache &disk, const cache::DiskCacheStat &stat) {
  return Object{{"folder", jsonText(disk.getFolder())},
                {"entries", stat.numEntries},
                {"bytes", stat.numBytes},
                {"temporary_files", stat.numTemporary},
                {"temporary_bytes", stat.temporaryBytes},
                {"max_bytes", disk.getMaxBytes()}};
}

static void printStat(const cache::DiskCache &disk, const cache::DiskCacheStat &stat) {
  llvm::outs() << "folder:    " << disk.getFolder() << "\n"
               << "entries:   " << stat.numEntries << "\n"
               << "size:      " << formatMiB(stat.numBytes) << " of "
               << formatMiB(disk.getMaxBytes()) << "\n";
  if (stat.numTemporary)
    llvm::outs() << "temporary: " << stat.numTemporary << " files, "
                 << formatMiB(stat.temporaryBytes) << "\n";
}

static ExitCode verify(cache::DiskCache &disk, const Options &options, llvm::json::Array warnings) {
  cache::DiskCacheVerification found = disk.verify(options.removeBad);
  ExitCode code = found.bad.empty() ? ExitCode::Ok : ExitCode::Mismatch;
  if (options.json) {
    llvm::json::Array bad;
    for (const std::string &line : found.bad)
      bad.push_back(jsonText(line));
    printJson(Object{{"status", getExitCodeName(code)},
                     {"exit_code", static_cast<int>(code)},
                     {"folder", jsonText(disk.getFolder())},
                     {"good", found.numGood},
                     {"unread", found.numUnread},
                     {"warnings", std::move(warnings)},
                     {"bad", std::move(bad)},
                     {"removed", options.removeBad && !found.numKept}});
    return code;
  }
  for (const std::string &line : found.bad)
    llvm::outs() << line
                 << (options.removeBad && !llvm::StringRef(line).contains("; it cannot be removed")
                         ? " (removed)"
                         : "")
                 << "\n";
  llvm::outs() << found.numGood << " entries are sound, " << found.bad.size() << " damaged";
  if (found.numUnread)
    llvm::outs() << ", " << found.numUnread << " not read, as they are larger than the bound";
  llvm::outs() << "\n";
  return code;
}

llvm::Expected<ExitCode> command::runCache(const Options &options) {
  std::string reason = "TILERUN_CACHE or TILERUN_CACHE_SIZE says so";
  llvm::json::Array warnings;
  cache::DiskCache disk(cache::DiskCacheOptions::fromEnvironment([&](const std::string &text) {
    reason = text;
    warnings.push_back(jsonText(text));
    if (!options.json)
      llvm::errs() << "tilerun: warning: " << text << "\n";
  }));
  if (!disk.isEnabled()) {
    if (options.json)
      printJson(Object{{"status", getExitCodeName(ExitCode::Ok)},
                       {"exit_code", 0},
                       {"enabled", false},
                       {"reason", jsonText(reason)},
                       {"warnings", std::move(warnings)}});
    else
      llvm::outs() << "the cache is off: " << reason << "\n";
    return ExitCode::Ok;
  }
  if (options.cacheAction == "verify")
    return verify(disk, options, std::move(warnings));
  bool clear = options.cacheAction == "clear";
  cache::DiskCacheStat stat = clear ? disk.clear() : disk.getStat();
  const ExitCode code = stat.numKept ? ExitCode::Mismatch : ExitCode::Ok;
  if (options.json) {
    Object object = toJson(disk, stat);
    object["status"] = getExitCodeName(code);
    object["exit_code"] = static_cast<int>(code);
    object["enabled"] = true;
    object["cleared"] = clear && !stat.numKept;
    if (clear)
      object["kept"] = stat.numKept;
    object["warnings"] = std::move(warnings);
    printJson(std::move(object));
  } else if (clear) {
    llvm::outs() << "removed " << stat.numEntries << " entries, " << formatMiB(stat.numBytes)
                 << ", from " << disk.getFolder() << "\n";
  } else {
    printStat(disk, stat);
  }
  if (stat.numKept)
    llvm::errs() << "tilerun: error: " << stat.numKept
                 << " files of the cache cannot be removed: " << stat.whyKept << "\n";
  return code;
}
