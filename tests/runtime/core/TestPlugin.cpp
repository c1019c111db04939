// The wrapped table of the null plugin.
#include "tests/runtime/core/TestPlugin.h"

#include <chrono>
#include <sstream>
#include <thread>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

static Counters counters;
static Faults faults;
static std::atomic<unsigned> numTimes{0};
static std::atomic<uint64_t> heldBytes{0};
static std::mutex sizesMutex;
static std::map<TilerunAddress, uint64_t> sizes; // Guarded by it.
static TilerunPlugin base;                       // The null plugin's own entries.

Counters &test::getCounters() { return counters; }
Faults &test::getFaults() { return faults; }
uint64_t test::getHeldBytes() { return heldBytes; }

static TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *message) {
  TilerunErrorInfo info = {sizeof(info), status, "test", "null:0", "TEST_WORD", message};
  if (sink)
    sink->report(sink->user, &info);
  return status;
}

static TilerunStatus allocate(TilerunPluginDevice *device, TilerunPluginStream *stream,
                              uint64_t bytes, TilerunAddress *address,
                              const TilerunErrorSink *sink) {
  ++counters.all;
  ++counters.allocate;
  if (faults.outOfMemory > 0) {
    --faults.outOfMemory;
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "injected: out of memory");
  }
  if (faults.memoryLimit && heldBytes + bytes > faults.memoryLimit)
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "the limit of the test is reached");
  TilerunStatus status = base.allocate(device, stream, bytes, address, sink);
  if (status == TILERUN_STATUS_OK) {
    std::lock_guard lock(sizesMutex);
    sizes[*address] = bytes;
    heldBytes += bytes;
  }
  return status;
}

static TilerunStatus freeMemory(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                TilerunAddress address, const TilerunErrorSink *sink) {
  ++counters.all;
  ++counters.free;
  {
    std::lock_guard lock(sizesMutex);
    auto it = sizes.find(address);
    if (it != sizes.end()) {
      heldBytes -= it->second;
      sizes.erase(it);
    }
  }
  return base.free(device, stream, address, sink);
}

static TilerunStatus queryEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  ++counters.all;
  return faults.eventsPend ? TilerunStatus(TILERUN_STATUS_NOT_READY)
                           : base.query_event(event, sink);
}

static TilerunStatus getPointerInfo(TilerunPluginDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info, const TilerunErrorSink *sink) {
  ++counters.all;
  ++counters.pointerInfo;
  if (address - faults.foreignBegin < faults.foreignBytes) {
    info->accessible = !faults.foreignElsewhere;
    info->base = faults.foreignBegin;
    info->num_bytes = faults.foreignBytes;
    info->on_host = 0;
    info->other_device = faults.foreignElsewhere;
    return TILERUN_STATUS_OK;
  }
  return base.get_pointer_info(device, address, info, sink);
}

static TilerunStatus launch(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                            const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
  ++counters.all;
  ++counters.launch;
  return base.launch(kernel, stream, launch, sink);
}

static TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                                TilerunPluginModule **module, const TilerunErrorSink *sink) {
  ++counters.all;
  ++counters.load;
  if (faults.refusedModules > 0) {
    --faults.refusedModules;
    return fail(sink, TILERUN_STATUS_COMPILE, "injected: the driver refuses the module");
  }
  return base.load_module(device, artifact, module, sink);
}

template <auto entry> struct Counted;
template <typename... Arguments, TilerunStatus (*TilerunPlugin::*entry)(Arguments...)>
struct Counted<entry> {
  static inline std::atomic<int> *counter = nullptr;
  static TilerunStatus call(Arguments... arguments) {
    ++counters.all;
    if (counter)
      ++*counter;
    return (base.*entry)(arguments...);
  }
};
template <auto entry> void count(TilerunPlugin &table, std::atomic<int> *counter = nullptr) {
  Counted<entry>::counter = counter;
  table.*entry = Counted<entry>::call;
}

static std::shared_ptr<const plugin::Plugin> makePlugin() {
  std::string reason;
  std::shared_ptr<const plugin::Plugin> null = plugin::Plugin::load(NULL_PLUGIN, reason);
  if (!null)
    std::abort();
  base = null->getTable();
  static TilerunPlugin table = base;
  count<&TilerunPlugin::open_device>(table, &counters.open);
  count<&TilerunPlugin::create_event>(table, &counters.createEvent);
  count<&TilerunPlugin::record_event>(table);
  count<&TilerunPlugin::wait_event>(table);
  count<&TilerunPlugin::create_stream>(table);
  count<&TilerunPlugin::synchronize_stream>(table);
  table.get_device_property = [](TilerunPluginDevice *device, uint32_t property,
                                 TilerunPropertyValue *value,
                                 const TilerunErrorSink *sink) -> TilerunStatus {
    ++counters.all;
    if (property == TILERUN_DEVICE_PROPERTY_SURVIVES_FORK && faults.isSilentOnForks)
      return fail(sink, TILERUN_STATUS_UNSUPPORTED, "the device does not say");
    if (property == TILERUN_DEVICE_PROPERTY_USES_SMALL && faults.usesSmall) {
      value->type = TILERUN_VALUE_U64;
      value->number = 1;
      return TILERUN_STATUS_OK;
    }
    TilerunStatus status = base.get_device_property(device, property, value, sink);
    if (property == TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST && faults.isGpu)
      value->number = 0;
    if (property == TILERUN_DEVICE_PROPERTY_WARP_SIZE && faults.isGpu)
      value->number = 64;
    return status;
  };
  table.elapsed_time = [](TilerunPluginEvent *start, TilerunPluginEvent *end, double *milliseconds,
                          const TilerunErrorSink *sink) -> TilerunStatus {
    ++counters.all;
    TilerunStatus status = base.elapsed_time(start, end, milliseconds, sink);
    if (faults.milliseconds > 0)
      *milliseconds = faults.milliseconds * (1 + (++numTimes % 2) * faults.spread);
    return status;
  };
  table.synchronize_device = [](TilerunPluginDevice *device,
                                const TilerunErrorSink *sink) -> TilerunStatus {
    ++counters.all;
    ++counters.synchronizeDevice;
    while (faults.holdDevice)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return base.synchronize_device(device, sink);
  };
  count<&TilerunPlugin::get_kernel>(table);
  table.close_device = [](TilerunPluginDevice *device) {
    ++counters.close;
    base.close_device(device);
  };
  table.unload_module = [](TilerunPluginModule *module) {
    ++counters.unload;
    base.unload_module(module);
  };
  table.destroy_event = [](TilerunPluginEvent *event) {
    ++counters.destroyEvent;
    base.destroy_event(event);
  };
  table.allocate = allocate;
  table.free = freeMemory;
  table.query_event = queryEvent;
  table.get_pointer_info = getPointerInfo;
  table.load_module = loadModule;
  table.launch = launch;
  return plugin::Plugin::adopt(&table, "test", reason);
}

std::shared_ptr<const plugin::Plugin> test::getTestPlugin() {
  static std::shared_ptr<const plugin::Plugin> plugin = makePlugin();
  for (std::atomic<int> *counter :
       {&counters.allocate, &counters.free, &counters.launch, &counters.load, &counters.unload,
        &counters.pointerInfo, &counters.createEvent, &counters.destroyEvent,
        &counters.synchronizeDevice, &counters.open, &counters.close, &counters.all})
    *counter = 0;
  faults.outOfMemory = 0;
  faults.memoryLimit = 0;
  faults.eventsPend = false;
  faults.refusedModules = 0;
  faults.holdDevice = false;
  faults.isSilentOnForks = false;
  faults.usesSmall = false;
  faults.isGpu = false;
  faults.milliseconds = faults.spread = 0;
  faults.foreignBegin = faults.foreignBytes = 0;
  faults.foreignElsewhere = false;
  return plugin;
}

std::shared_ptr<Device> test::openTestDevice(bool usePool) {
  auto plugin = getTestPlugin();
  std::string reason;
  std::vector<plugin::DeviceInfo> devices = plugin->getDevices(reason);
  DeviceOptions options;
  options.usePool = usePool;
  std::shared_ptr<Device> device;
  EXPECT_OK(Device::open(plugin, devices.at(0), options, device));
  return device;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::shared_ptr<TestProgram> TestProgram::makeAdd() {
  std::vector<SourceParameter> parameters(5);
  const char *names[] = {"out", "a", "b", "n", "BLOCK"};
  for (int i = 0; i < 5; ++i)
    parameters[i].name = names[i];
  parameters[4].isConstexpr = true;
  return std::make_shared<TestProgram>("tilerun_test_add", std::move(parameters));
}

Status TestProgram::parseSignature(const std::string &text,
                                   std::vector<SignatureEntry> &entries) const {
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    size_t equal = part.find('=');
    if (equal == std::string::npos)
      return Status(TILERUN_STATUS_INVALID_ARGUMENT, "'" + part + "' has no '='");
    SignatureEntry entry;
    entry.name = part.substr(0, equal);
    std::string spec = part.substr(equal + 1);
    entry.isPointer = spec[0] == '*';
    std::string type = spec.substr(entry.isPointer, spec.find(':') - entry.isPointer);
    entry.dtype = findType(type);
    entry.isConstant = !entry.dtype;
    entry.isSmall = spec.ends_with(":small");
    if (size_t colon = spec.find(':'); colon != std::string::npos)
      entry.divisibility = std::max(std::atoll(spec.c_str() + colon + 1), 1LL);
    entries.push_back(std::move(entry));
  }
  return {};
}

namespace {
// An artifact with other needs than its kernel's own.
struct Changed {
  Changed(const TilerunPluginArtifact *from, const TestProgram &program)
      : original(from), kernel(from->kernels[0]), artifact(*from) {
    kernel.shared_bytes = program.sharedBytes;
    if (program.threads)
      kernel.threads = program.threads;
    artifact.kernels = &kernel;
    if (!program.cluster)
      return;
    details = *from->details[0];
    details.cluster[0] = program.cluster;
    artifact.details = &pointer;
  }
  ~Changed() { base.release_artifact(original); }
  const TilerunPluginArtifact *original;
  TilerunPluginKernelInfo kernel;
  TilerunPluginKernelDetails details = {};
  const TilerunPluginKernelDetails *pointer = &details;
  TilerunPluginArtifact artifact;
};
} // namespace

Status TestProgram::compile(const Device &device, const std::string &signature,
                            const TilerunCompileOptions &, CompiledArtifact &out) {
  int count = ++numCompiled;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  if (onCompile)
    onCompile();
  if (failures > 0) {
    --failures;
    return Status(TILERUN_STATUS_COMPILE,
                  "k.py:1:2: error: injected " + std::to_string(count) + "\n  x = \n      ^");
  }
  {
    std::lock_guard lock(mutex);
    signatures.push_back(signature);
  }
  const TilerunPluginArtifact *artifact = nullptr;
  TILERUN_TRY(TILERUN_CALL(device.getTable(), get_self_test, name.c_str(), &artifact));
  auto changed = std::make_shared<Changed>(artifact, *this);
  out = {changed, &changed->artifact, fromCache};
  return {};
}

TilerunArgument test::pointerTo(TilerunAddress address, uint16_t dtype) {
  TilerunArgument argument = {TILERUN_ARGUMENT_POINTER, dtype, 0, {}};
  argument.value.address = address;
  return argument;
}
TilerunArgument test::integer(int64_t value, uint16_t dtype) {
  TilerunArgument argument = {TILERUN_ARGUMENT_INTEGER, dtype, 0, {}};
  argument.value.integer = value;
  return argument;
}
TilerunArgument test::number(double value, uint16_t dtype) {
  TilerunArgument argument = {TILERUN_ARGUMENT_FLOAT, dtype, 0, {}};
  argument.value.number = value;
  return argument;
}

void test::expectError(const Status &status, TilerunStatus code, const std::string &part) {
  ASSERT_EQ(status.getCode(), code) << (status.isOk() ? "it succeeded" : status.getMessage());
  EXPECT_NE(status.getMessage().find(part), std::string::npos)
      << "message: " << status.getMessage() << "\nwanted: " << part;
}
