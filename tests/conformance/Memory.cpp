// Memory: allocation, copies in all directions, fills, queries about addresses.
#include "tests/conformance/Suite.h"

#include <algorithm>
#include <cstring>

using namespace tilerun;
using namespace tilerun::conformance;

static std::vector<uint8_t> makeBytes(size_t count, uint32_t seed) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(seed >> 24);
  }
  return bytes;
}

static std::string firstDifference(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) {
  auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
  if (x == a.end())
    return "";
  return "byte " + std::to_string(x - a.begin()) + " is " + std::to_string(*y) + ", not " +
         std::to_string(*x);
}

static Outcome alignment(Context &c) {
  std::vector<TilerunAddress> all;
  for (uint64_t bytes : {0, 1, 3, 255, 256, 257, 4096, 100000}) {
    TilerunAddress address;
    TRY(c.allocate(bytes, address));
    EXPECT(address % 256 == 0, "an address is not aligned to 256");
    EXPECT(std::find(all.begin(), all.end(), address) == all.end(), "an address came twice");
    all.push_back(address);
  }
  return {};
}

static Outcome copyRoundTrip(Context &c) {
  for (size_t bytes : {1, 3, 4, 255, 4096, 65537, 3 << 20}) {
    TilerunAddress address;
    TRY(c.allocate(bytes, address));
    std::vector<uint8_t> in = makeBytes(bytes, static_cast<uint32_t>(bytes)), out(bytes);
    TRY(c.write(address, in.data(), bytes));
    TRY(c.read(out.data(), address, bytes));
    std::string difference = firstDifference(in, out);
    EXPECT(difference.empty(), std::to_string(bytes) + " bytes: " + difference);
  }
  return {};
}

static Outcome copyPart(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(1000, address));
  std::vector<uint8_t> all = makeBytes(1000, 1), part = makeBytes(37, 2), out(1000);
  TRY(c.write(address, all.data(), 1000));
  TRY(c.write(address + 501, part.data(), 37));
  TRY(c.read(out.data(), address, 1000));
  std::copy(part.begin(), part.end(), all.begin() + 501);
  std::string difference = firstDifference(all, out);
  EXPECT(difference.empty(), difference);
  return {};
}

static Outcome copyOnDevice(Context &c) {
  TilerunAddress from, to;
  TRY(c.allocate(70000, from));
  TRY(c.allocate(70000, to));
  std::vector<uint8_t> in = makeBytes(70000, 3), out(70000);
  TRY(c.write(from, in.data(), 70000));
  CALL(c, copy_on_device, c.device, nullptr, to, from, 70000);
  TRY(c.read(out.data(), to, 70000));
  std::string difference = firstDifference(in, out);
  EXPECT(difference.empty(), difference);
  return {};
}

static Outcome copyFromPeer(Context &c) {
  // Another device if there is one, else a second handle of this one.
  std::string reason;
  uint32_t other = c.info.ordinal;
  for (const plugin::DeviceInfo &device : c.plugin.getDevices(reason))
    if (device.ordinal != other)
      other = device.ordinal;
  if (!c.table.copy_from_peer)
    return unsupported("the plugin has no copy_from_peer");
  Context peer(c.plugin, {other, "", "", "", ""});
  TRY(peer.open());
  TilerunAddress from, to;
  TRY(peer.allocate(5000, from));
  TRY(c.allocate(5000, to));
  std::vector<uint8_t> in = makeBytes(5000, 4), out(5000);
  TRY(peer.write(from, in.data(), 5000));
  CALL(c, copy_from_peer, c.device, nullptr, to, peer.device, from, 5000);
  TRY(c.read(out.data(), to, 5000));
  std::string difference = firstDifference(in, out);
  EXPECT(difference.empty(), difference);
  return {};
}

static Outcome copyNothing(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(16, address));
  CALL(c, copy_to_device, c.device, nullptr, address, nullptr, 0);
  CALL(c, copy_from_device, c.device, nullptr, nullptr, address, 0);
  CALL(c, fill, c.device, nullptr, address, 1, 4, 0);
  CALL(c, synchronize_device, c.device);
  return {};
}

static Outcome copyNothingAtZero(Context &c) {
  CALL(c, copy_to_device, c.device, nullptr, 0, nullptr, 0);
  CALL(c, copy_from_device, c.device, nullptr, nullptr, 0, 0);
  CALL(c, copy_on_device, c.device, nullptr, 0, 0, 0);
  CALL(c, fill, c.device, nullptr, 0, 1, 4, 0);
  CALL(c, synchronize_device, c.device);
  return {};
}

static Outcome fill(Context &c) {
  const uint32_t pattern = 0xA1B2C3D4;
  TilerunAddress address;
  TRY(c.allocate(1024, address));
  for (uint32_t width : {1u, 2u, 4u}) {
    CALL(c, fill, c.device, nullptr, address, 0, 1, 1024);
    CALL(c, fill, c.device, nullptr, address + 16, pattern, width, 500);
    std::vector<uint8_t> want(1024), out(1024);
    for (size_t i = 0; i < 500; i += width)
      std::memcpy(&want[16 + i], &pattern, width);
    TRY(c.read(out.data(), address, 1024));
    std::string difference = firstDifference(want, out);
    EXPECT(difference.empty(), "width " + std::to_string(width) + ": " + difference);
  }
  return {};
}

static Outcome pinnedMemory(Context &c) {
  void *pointer = nullptr;
  CALL(c, allocate_host, c.device, 4096, &pointer);
  std::vector<uint8_t> in = makeBytes(4096, 5), out(4096);
  std::memcpy(pointer, in.data(), 4096);
  TilerunAddress address = 0;
  Outcome outcome = c.allocate(4096, address);
  if (outcome.kind == Outcome::Kind::Pass)
    outcome = c.write(address, pointer, 4096);
  std::memset(pointer, 0, 4096);
  if (outcome.kind == Outcome::Kind::Pass)
    outcome = c.read(pointer, address, 4096);
  std::memcpy(out.data(), pointer, 4096);
  CALL(c, free_host, c.device, pointer);
  TRY(outcome);
  std::string difference = firstDifference(in, out);
  EXPECT(difference.empty(), difference);
  return {};
}

static Outcome reuse(Context &c) {
  // Many times the memory of the device in total: freed memory must come back.
  TilerunPropertyValue total = {sizeof(total), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, &total);
  uint64_t bytes = total.number / 3;
  for (int i = 0; i < 10; ++i) {
    TilerunAddress address = 0;
    CALL(c, allocate, c.device, nullptr, bytes, &address);
    CALL(c, free, c.device, nullptr, address);
  }
  CALL(c, synchronize_device, c.device);
  return {};
}

static Outcome freeNull(Context &c) {
  CALL(c, free, c.device, nullptr, 0);
  return {};
}

static Outcome streamOrderedReuse(Context &c) {
  // Freed and allocated again on one stream, without waiting: the second use comes second.
  TilerunPluginStream *stream;
  TRY(c.makeStream(stream));
  std::vector<uint32_t> out(1024);
  for (uint32_t round = 1; round <= 8; ++round) {
    TilerunAddress address = 0;
    CALL(c, allocate, c.device, stream, 4096, &address);
    CALL(c, fill, c.device, stream, address, round, 4, 4096);
    CALL(c, copy_from_device, c.device, stream, out.data(), address, 4096);
    CALL(c, free, c.device, stream, address);
    CALL(c, synchronize_stream, c.device, stream);
    EXPECT(std::all_of(out.begin(), out.end(), [&](uint32_t v) { return v == round; }),
           "round " + std::to_string(round) + " read something else");
  }
  return {};
}

static Outcome pointerInfo(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(1000, address));
  CALL(c, synchronize_device, c.device);
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  CALL(c, get_pointer_info, c.device, address + 100, &info);
  EXPECT(info.accessible, "own memory is not accessible");
  EXPECT(info.base <= address && info.base + info.num_bytes >= address + 1000,
         "the allocation's range is wrong");
  EXPECT(!info.on_host && !info.other_device, "own memory is said to be elsewhere");
  return {};
}

static Outcome largeOffset(Context &c) {
  // Offsets past 2^32 bytes.
  TilerunPropertyValue total = {sizeof(total), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, &total);
  const uint64_t bytes = (uint64_t(1) << 32) + 4096;
  if (total.number < 4 * bytes)
    return unsupported("the device has only " + std::to_string(total.number >> 20) + " MiB");
  TilerunAddress address;
  TRY(c.allocate(bytes, address));
  CALL(c, fill, c.device, nullptr, address, 0, 4, 4096);
  CALL(c, fill, c.device, nullptr, address + bytes - 4096, 0x01020304, 4, 4096);
  uint32_t low = 1, high = 0;
  TRY(c.read(&low, address, sizeof(low)));
  TRY(c.read(&high, address + bytes - 4, sizeof(high)));
  EXPECT(low == 0 && high == 0x01020304, "an offset past 2^32 bytes wrapped around");
  return {};
}

std::vector<Case> conformance::getMemoryCases() {
  return {{"memory", "alignment", alignment},
          {"memory", "copy-round-trip", copyRoundTrip},
          {"memory", "copy-part", copyPart},
          {"memory", "copy-on-device", copyOnDevice},
          {"memory", "copy-from-peer", copyFromPeer},
          {"memory", "copy-nothing", copyNothing},
          {"memory", "copy-nothing-at-zero", copyNothingAtZero},
          {"memory", "fill", fill},
          {"memory", "pinned", pinnedMemory},
          {"memory", "reuse", reuse},
          {"memory", "free-null", freeNull},
          {"memory", "stream-ordered-reuse", streamOrderedReuse},
          {"memory", "pointer-info", pointerInfo},
          {"memory", "large-offset", largeOffset}};
}
