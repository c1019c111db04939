// Errors: each is reported, nothing changes, and the device stays usable; or it is lost, and can be
// recovered.
#include "tests/conformance/Suite.h"

#include <cstring>

using namespace tilerun;
using namespace tilerun::conformance;

// The device still works.
static Outcome checkAlive(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(16, address));
  uint32_t in = 0xC0FFEE, out = 0;
  TRY(c.write(address, &in, sizeof(in)));
  TRY(c.read(&out, address, sizeof(out)));
  EXPECT(in == out, "the device does not work any more");
  return {};
}

static Outcome outOfMemory(Context &c) {
  TilerunPropertyValue total = {sizeof(total), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, &total);
  for (uint64_t bytes : {total.number * 4, uint64_t(1) << 62}) {
    TilerunAddress address = 99;
    CALL_FAILS(c, TILERUN_STATUS_OUT_OF_MEMORY, allocate, c.device, nullptr, bytes, &address);
    EXPECT(address == 99, "a failed allocation wrote an address");
  }
  return checkAlive(c);
}

static Outcome exhaustMemory(Context &c) {
  // Allocates memory by eighths until none is left, frees it, and can allocate all of it again.
  TilerunPropertyValue total = {sizeof(total), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, &total);
  if (!c.table.allocate || !c.table.free)
    return unsupported("the plugin has no allocate");
  size_t counts[2] = {};
  for (size_t &count : counts) {
    std::vector<TilerunAddress> taken;
    TilerunStatus status = TILERUN_STATUS_OK;
    while (taken.size() < 9) {
      TilerunAddress address = 0;
      status = c.table.allocate(c.device, nullptr, total.number / 8, &address, c.sink());
      if (status)
        break;
      taken.push_back(address);
    }
    count = taken.size();
    plugin::Error error = c.takeError(status);
    for (TilerunAddress address : taken)
      CALL(c, free, c.device, nullptr, address);
    EXPECT(status == TILERUN_STATUS_OUT_OF_MEMORY, error.message);
    CALL(c, synchronize_device, c.device);
  }
  EXPECT(counts[0] > 0 && counts[1] >= counts[0], "freed memory did not come back");
  return checkAlive(c);
}

static Outcome freeWhatIsNone(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(1024, address));
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, free, c.device, nullptr, address + 256);
  return checkAlive(c);
}

static Outcome doubleFree(Context &c) {
  TilerunAddress address = 0;
  CALL(c, allocate, c.device, nullptr, 1024, &address);
  CALL(c, free, c.device, nullptr, address);
  CALL(c, synchronize_device, c.device);
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, free, c.device, nullptr, address);
  return checkAlive(c);
}

static Outcome unknownKernel(Context &c) {
  const TilerunPluginArtifact *artifact = nullptr;
  CALL(c, get_self_test, "tilerun_test_add", &artifact);
  TilerunPluginModule *module = nullptr;
  TilerunStatus status = c.table.load_module(c.device, artifact, &module, c.sink());
  c.table.release_artifact(artifact);
  TRY(c.judge(status, "load_module"));
  TilerunPluginKernel *kernel = nullptr;
  status = c.table.get_kernel(module, "no_such_kernel", &kernel, c.sink());
  plugin::Error error = c.takeError(status);
  c.table.unload_module(module);
  EXPECT(status == TILERUN_STATUS_NOT_FOUND && !kernel, error.message);
  EXPECT(error.message.find("no_such_kernel") != std::string::npos,
         "the message does not name the kernel: " + error.message);
  return checkAlive(c);
}

static Outcome unknownSelfTest(Context &c) {
  if (!c.table.get_self_test)
    return unsupported("the plugin has no get_self_test");
  const TilerunPluginArtifact *artifact = nullptr;
  TilerunStatus status = c.table.get_self_test("tilerun_test_nothing", &artifact, c.sink());
  EXPECT(status == TILERUN_STATUS_NOT_FOUND && !artifact, plugin::getStatusName(status));
  EXPECT(!c.takeError(status).message.empty(), "no message");
  return {};
}

// Loads the artifact of the add kernel after `change`; it must fail with `wanted`.
template <typename Change>
static Outcome loadChanged(Context &c, TilerunStatus wanted, Change change) {
  const TilerunPluginArtifact *artifact = nullptr;
  CALL(c, get_self_test, "tilerun_test_add", &artifact);
  TilerunPluginArtifact copy = *artifact;
  std::string keep;
  change(copy, keep);
  TilerunPluginModule *module = nullptr;
  TilerunStatus status = c.table.load_module(c.device, &copy, &module, c.sink());
  c.table.release_artifact(artifact);
  if (!status)
    c.table.unload_module(module);
  plugin::Error error = c.takeError(status);
  EXPECT(status == wanted, "load_module gives '" + plugin::getStatusName(status) + "' (" +
                               error.message + ") where '" + plugin::getStatusName(wanted) +
                               "' is right");
  EXPECT(!error.message.empty() && !error.device.empty(), "the error does not name the device");
  return checkAlive(c);
}

static Outcome garbageModule(Context &c) {
  return loadChanged(c, TILERUN_STATUS_COMPILE,
                     [](TilerunPluginArtifact &artifact, std::string &keep) {
                       keep = "this is not code at all";
                       artifact.bytes = reinterpret_cast<const uint8_t *>(keep.c_str());
                       artifact.num_bytes = keep.size();
                     });
}

static Outcome emptyModule(Context &c) {
  return loadChanged(c, TILERUN_STATUS_COMPILE,
                     [](TilerunPluginArtifact &artifact, std::string &keep) {
                       artifact.bytes = reinterpret_cast<const uint8_t *>(keep.c_str());
                       artifact.num_bytes = 0;
                     });
}

static Outcome incompatibleModule(Context &c) {
  CALL_FAILS(c, TILERUN_STATUS_INCOMPATIBLE, check_compatibility, c.device, "abacus:1");
  return loadChanged(c, TILERUN_STATUS_INCOMPATIBLE,
                     [](TilerunPluginArtifact &artifact, std::string &keep) {
                       artifact.compatibility = "abacus:1";
                     });
}

static Outcome compatibleModule(Context &c) {
  const TilerunPluginArtifact *artifact = nullptr;
  CALL(c, get_self_test, "tilerun_test_add", &artifact);
  std::string compatibility = artifact->compatibility ? artifact->compatibility : "";
  c.table.release_artifact(artifact);
  EXPECT(!compatibility.empty(), "an artifact has no compatibility string");
  CALL(c, check_compatibility, c.device, compatibility.c_str());
  return {};
}

// Launches the grid kernel after `change`; it must fail with INVALID_ARGUMENT.
template <typename Change> static Outcome launchChanged(Context &c, Change change) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_grid", kernel, launch));
  TilerunAddress address;
  TRY(c.allocate(4, address));
  Arguments arguments;
  arguments.add(address).setIn(launch);
  change(launch);
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, launch, kernel, nullptr, &launch);
  CALL(c, synchronize_device, c.device);
  return checkAlive(c);
}

static Outcome emptyGrid(Context &c) {
  for (int axis = 0; axis < 3; ++axis)
    TRY(launchChanged(c, [&](TilerunPluginLaunch &launch) { launch.grid[axis] = 0; }));
  return {};
}
static Outcome largeGrid(Context &c) {
  return launchChanged(c, [](TilerunPluginLaunch &launch) { launch.grid[1] = 0x7FFFFFFF; });
}
static Outcome manyThreads(Context &c) {
  return launchChanged(c, [](TilerunPluginLaunch &launch) { launch.threads = 1 << 20; });
}
static Outcome muchSharedMemory(Context &c) {
  return launchChanged(c, [](TilerunPluginLaunch &launch) { launch.shared_bytes = 1 << 30; });
}
static Outcome wrongArguments(Context &c) {
  TRY(launchChanged(c, [](TilerunPluginLaunch &launch) { launch.num_bytes = 4; }));
  return launchChanged(c, [](TilerunPluginLaunch &launch) { launch.num_bytes = 0; });
}

static Outcome badFill(Context &c) {
  TilerunAddress address;
  TRY(c.allocate(64, address));
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, fill, c.device, nullptr, address, 1, 3, 63);
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, fill, c.device, nullptr, address, 1, 4, 63);
  return checkAlive(c);
}

static Outcome unknownPointer(Context &c) {
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  CALL_FAILS(c, TILERUN_STATUS_INVALID_ARGUMENT, get_pointer_info, c.device, 64, &info);
  return {};
}

static Outcome nullSink(Context &c) {
  TilerunAddress address = 0;
  if (!c.table.allocate)
    return unsupported("the plugin has no allocate");
  TilerunStatus status = c.table.allocate(c.device, nullptr, uint64_t(1) << 62, &address, nullptr);
  EXPECT(status == TILERUN_STATUS_OUT_OF_MEMORY, plugin::getStatusName(status));
  return {};
}

static Outcome badCompile(Context &c) {
  const TilerunPluginArtifact *artifact = nullptr;
  TilerunPluginCompileRequest request = {};
  const char *text = "no bytecode";
  request.struct_size = sizeof(request);
  request.bytecode = reinterpret_cast<const uint8_t *>(text);
  request.num_bytes = std::strlen(text);
  request.target = c.info.target.c_str();
  if (!c.table.compile)
    return unsupported("the plugin has no compile");
  TilerunStatus status = c.table.compile(&request, &artifact, c.sink());
  plugin::Error error = c.takeError(status);
  if (status == TILERUN_STATUS_UNSUPPORTED)
    return unsupported(error.message);
  EXPECT(status == TILERUN_STATUS_COMPILE && !artifact, error.message);
  request.target = "abacus:1";
  status = c.table.compile(&request, &artifact, c.sink());
  error = c.takeError(status);
  EXPECT(status == TILERUN_STATUS_INVALID_ARGUMENT || status == TILERUN_STATUS_UNSUPPORTED,
         error.message);
  return {};
}

static Outcome deviceLost(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_fault", kernel, launch));
  TilerunAddress address;
  TRY(c.allocate(1024, address));
  TilerunPluginStream *stream;
  TRY(c.makeStream(stream));
  Arguments arguments;
  arguments.add<uint64_t>(0x10).setIn(launch);
  CALL(c, launch, kernel, nullptr, &launch);
  CALL_FAILS(c, TILERUN_STATUS_DEVICE_LOST, synchronize_device, c.device);
  // From now on each call reports the loss and names the kernel.
  TilerunStatus status = c.table.get_device_state(c.device, c.sink());
  plugin::Error error = c.takeError(status);
  EXPECT(status == TILERUN_STATUS_DEVICE_LOST, error.message);
  EXPECT(error.message.find("tilerun_test_fault") != std::string::npos,
         "the message does not name the kernel: " + error.message);
  TilerunAddress other = 0;
  CALL_FAILS(c, TILERUN_STATUS_DEVICE_LOST, allocate, c.device, nullptr, 16, &other);
  CALL_FAILS(c, TILERUN_STATUS_DEVICE_LOST, fill, c.device, nullptr, address, 1, 4, 16);
  CALL_FAILS(c, TILERUN_STATUS_DEVICE_LOST, launch, kernel, nullptr, &launch);
  // Recovery, unless the driver demands a new process for it, and says so.
  c.release();
  status = c.table.open_device(c.info.ordinal, nullptr, &c.device, c.sink());
  error = c.takeError(status);
  if (status == TILERUN_STATUS_DEVICE_LOST) {
    EXPECT(error.message.find("new process") != std::string::npos,
           "the message does not tell the way back: " + error.message);
    return unsupported("the driver gives a process that lost a device no new context; the way back "
                       "is a new process");
  }
  EXPECT(status == TILERUN_STATUS_OK, error.message);
  CALL(c, get_device_state, c.device);
  return checkAlive(c);
}

std::vector<Case> conformance::getErrorCases() {
  return {{"errors", "out-of-memory", outOfMemory},
          {"errors", "exhaust-memory", exhaustMemory},
          {"errors", "free-what-is-none", freeWhatIsNone},
          {"errors", "double-free", doubleFree},
          {"errors", "unknown-kernel", unknownKernel},
          {"errors", "unknown-self-test", unknownSelfTest},
          {"errors", "garbage-module", garbageModule},
          {"errors", "empty-module", emptyModule},
          {"errors", "compatible-module", compatibleModule},
          {"errors", "incompatible-module", incompatibleModule},
          {"errors", "empty-grid", emptyGrid},
          {"errors", "large-grid", largeGrid},
          {"errors", "many-threads", manyThreads},
          {"errors", "much-shared-memory", muchSharedMemory},
          {"errors", "wrong-arguments", wrongArguments},
          {"errors", "bad-fill", badFill},
          {"errors", "unknown-pointer", unknownPointer},
          {"errors", "null-sink", nullSink},
          {"errors", "bad-compile", badCompile},
          {"errors", "device-lost", deviceLost, true}};
}
