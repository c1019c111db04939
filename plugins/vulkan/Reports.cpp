// The debug buffers of launches: given out before, read after.
#include "plugins/vulkan/Reports.h"
#include "plugins/vulkan/Launch.h"

#include <cstdio>
#include <cstring>

using namespace vulkan;
using tilerun::backend::DebugBuffer;

/// Of a launch.
static constexpr uint64_t kBufferBytes = uint64_t(1) << 20;
/// Launches of a stream that wait to be read; the next one waits for the oldest.
static constexpr size_t kMostReports = 64;

std::shared_ptr<Block> ReportQueue::takeIdle() {
  std::lock_guard lock(mutex);
  if (idle.empty())
    return nullptr;
  std::shared_ptr<Block> block = std::move(idle.back());
  idle.pop_back();
  return block;
}

void ReportQueue::giveBack(std::shared_ptr<Block> block) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(block));
}

void ReportQueue::add(Entry entry) {
  std::lock_guard lock(mutex);
  entries.push_back(std::move(entry));
  count.store(entries.size(), std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// Around launches
//===----------------------------------------------------------------------===//

static llvm::MutableArrayRef<uint32_t> getWords(Block &block) {
  return {reinterpret_cast<uint32_t *>(block.host), kBufferBytes / sizeof(uint32_t)};
}

/// Zeros what a launch wrote, and sets the capacity.
static void reset(llvm::MutableArrayRef<uint32_t> words) {
  constexpr size_t kHeader = DebugBuffer::kHeaderWords;
  size_t used = std::min<size_t>(words[DebugBuffer::kUsed], words.size() - kHeader);
  std::memset(words.data(), 0, (kHeader + used) * sizeof(uint32_t));
  words[DebugBuffer::kCapacity] = static_cast<uint32_t>(words.size() - kHeader);
}

TilerunStatus vulkan::prepareReport(Stream &stream, const TilerunPluginKernel &kernel,
                                    std::shared_ptr<Block> &block, const TilerunErrorSink *sink) {
  // A host that launches and never waits gets the lines all the same. A failed assertion is
  // reported here, too, because the call waits.
  if (stream.reports.getCount() >= kMostReports) {
    TILERUN_PLUGIN_TRY(stream.wait(sink));
    TILERUN_PLUGIN_TRY(takeReports(stream, sink));
  }
  block = stream.reports.takeIdle();
  if (block)
    return TILERUN_STATUS_OK;
  TILERUN_PLUGIN_TRY(kernel.context->memory.makeBlock(MemoryKind::Host, kBufferBytes, block, sink));
  std::memset(block->host, 0, kBufferBytes);
  reset(getWords(*block));
  return TILERUN_STATUS_OK;
}

void vulkan::addReport(Stream &stream, const TilerunPluginKernel &kernel,
                       std::shared_ptr<Block> block) {
  stream.reports.add({std::move(block), kernel.sites, kernel.name, stream.getLastValue()});
}

TilerunStatus vulkan::takeReports(Stream &stream, const TilerunErrorSink *sink) {
  if (stream.reports.isEmpty())
    return TILERUN_STATUS_OK;
  std::string failure;
  ReportQueue::Entry entry;
  while (stream.reports.pop([&](uint64_t value) { return stream.hasPassed(value); }, entry)) {
    llvm::MutableArrayRef<uint32_t> words = getWords(*entry.block);
    tilerun::backend::DebugReport report = readDebugBuffer(*entry.sites, words, entry.kernel);
    std::fwrite(report.printed.data(), 1, report.printed.size(), stdout);
    if (!report.printed.empty())
      std::fflush(stdout);
    if (failure.empty())
      failure = std::move(report.failure);
    reset(words);
    stream.reports.giveBack(std::move(entry.block));
  }
  if (failure.empty())
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_FAULT, "synchronize", stream.context, failure);
}
