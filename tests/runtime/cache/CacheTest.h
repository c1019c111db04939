// Shared by the tests of the caches: a folder of their own, and options that note warnings.
#pragma once

#include "runtime/cache/DiskCache.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>

namespace tilerun::cache {

class CacheTest : public testing::Test {
protected:
  CacheTest() {
    std::string form = testing::TempDir() + "tilerun-cache-XXXXXX";
    folder = mkdtemp(form.data());
  }
  ~CacheTest() override {
    std::error_code ignored;
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder, ignored);
  }

  DiskCacheOptions makeOptions(uint64_t maxBytes = 1 << 20) {
    DiskCacheOptions options;
    options.folder = folder + "/cache";
    options.maxBytes = maxBytes;
    options.warn = [this](const std::string &text) { warnings.push_back(text); };
    return options;
  }

  static Key makeKey(uint64_t number) { return KeyBuilder("test").add("n", number).finish(); }
  /// Bytes that are unique to a key.
  static std::vector<uint8_t> makePayload(uint64_t number, size_t size) {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<uint8_t>(number * 131 + i * (number % 7 + 1));
    return bytes;
  }

  static std::vector<uint8_t> readFile(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void writeFile(const std::string &path, const std::vector<uint8_t> &bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  static void writeText(const std::string &path, const std::string &text) {
    writeFile(path, {text.begin(), text.end()});
  }
  /// Moves a file's time into the past.
  static void age(const std::string &path, std::chrono::seconds by) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - by);
  }

  std::string folder;
  std::vector<std::string> warnings;
};

} // namespace tilerun::cache
