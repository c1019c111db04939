// Kernels: specialization by arguments, single compilation, launch.
#pragma once

#include "runtime/core/SpecializationTable.h"

#include <condition_variable>
#include <map>
#include <thread>

namespace tilerun::core {

/// A kernel that was compiled for one signature and loaded on one device.
struct Specialization {
  /// The place of an argument: what a warm launch reads, contiguously.
  struct Place {
    uint16_t kind;     ///< TILERUN_ARGUMENT_POINTER, _INTEGER, _FLOAT.
    uint16_t dtype;    ///< A pointer's elements; AUTO where it is not known.
    uint16_t offset;   ///< In the packed arguments.
    uint16_t bytes;    ///< 1, 2, 4 or 8.
    uint32_t argument; ///< Its place among the arguments of Kernel::launch.
  };
  struct Parameter {
    std::string name;
    int64_t divisibility; ///< Facts that the code relies on.
    bool isSmall;
  };
  std::shared_ptr<Executable> executable;
  std::string signature;
  std::string open;                  ///< The signature without the kernel's bound constants.
  std::vector<Place> places;         ///< As the launch packs them.
  std::vector<Parameter> parameters; ///< As many.
};

class Kernel {
public:
  explicit Kernel(std::shared_ptr<Program> program, std::string bound = "",
                  const std::vector<SourceParameter> &parameters = {});

  const Program &getProgram() const { return *program; }
  const std::string &getName() const { return program->getName(); }
  /// The parameters that a launch passes: the source's without the bound ones.
  const std::vector<SourceParameter> &getParameters() const { return parameters; }

  /// The kernel with more constants bound.
  Status bind(const std::string &constants, std::shared_ptr<Kernel> &kernel) const;

  /// Compiles and loads for a signature in text, to which the bound constants are added.
  Status specialize(Device &device, const std::string &signature,
                    const TilerunCompileOptions &options,
                    std::shared_ptr<Specialization> &specialization) const;

  /// The signature that a launch with these arguments compiles for, without the bound constants.
  Status describe(const TilerunArgument *arguments, uint32_t numArguments,
                  std::string &signature) const;

  /// As Program::emit, with the bound constants added to the signature.
  Status emit(const plugin::Plugin &plugin, const std::string &target, const std::string &signature,
              const TilerunCompileOptions &options, const std::string &stage,
              const Program::TakeArtifact &take) const;
  const std::string &getBound() const { return bound; }

  /// Compiles and loads what a launch with these arguments needs, so that the launch does not have
  /// to. Launches nothing.
  Status prepare(Device &device, const TilerunCompileOptions &options,
                 const TilerunArgument *arguments, uint32_t numArguments,
                 const TilerunMemoryRange *ranges = nullptr);

  /// Validates, specializes, launches. A warm one allocates nothing and takes no lock, but to find
  /// the pool's allocations for a device that checks bounds. `flags`: TILERUN_LAUNCH_*. `ranges`:
  /// null, or one for each argument. `used` receives what was launched, which lives as long as the
  /// kernel.
  Status launch(const Stream &stream, const uint32_t grid[3], const TilerunCompileOptions &options,
                const TilerunArgument *arguments, uint32_t numArguments, uint32_t flags = 0,
                const TilerunMemoryRange *ranges = nullptr, const Specialization **used = nullptr);

  /// Launches with one argument for each run-time parameter, which must meet the signature.
  static Status launchSpecialized(const Specialization &specialization, const Stream &stream,
                                  const uint32_t grid[3], const TilerunArgument *arguments,
                                  uint32_t numArguments, uint32_t flags = 0,
                                  const TilerunMemoryRange *ranges = nullptr);

private:
  struct Flight {
    std::mutex mutex;
    std::condition_variable landed;
    std::thread::id pilot; ///< The compiling thread, which must not wait for itself.
    bool done = false;
    Status status;
    const Specialization *value = nullptr;
  };
  /// What a launch passes.
  struct Passed {
    const TilerunArgument *arguments;
    uint32_t count;
    const TilerunMemoryRange *ranges; ///< Null, or one for each.
  };
  /// `device`: null, or that which a launch is for, whose facts the signature has.
  std::string getSignature(Device *device, const Passed &passed) const;
  Status makeKey(SpecializationKey &key, const TilerunArgument *arguments,
                 uint32_t numArguments) const;
  /// The key of a launch.
  Status makeKeyFor(Device &device, SpecializationKey &key, const Passed &passed) const;
  bool addSmall(Device &device, SpecializationKey &key, const Passed &passed) const;
  /// Whether the number of arguments fits the parameters and their defaults.
  Status checkDefaults(uint32_t numArguments) const;
  /// Compiles once, however many threads ask at the same time.
  Status specializeOnce(Device &device, const SpecializationKey &key,
                        const TilerunCompileOptions &options, const Passed &passed,
                        const Specialization *&specialization);
  /// The same kernel without what makes assumptions about arguments that are not in its signature.
  Executable::MakeGeneral makeGeneral(Device &device, const std::string &signature,
                                      const TilerunCompileOptions &options) const;
  Status specializeFor(Device &device, const TilerunCompileOptions &options, const Passed &passed,
                       std::shared_ptr<const Specialization> &specialization) const;

  const std::shared_ptr<Program> program;
  const std::string bound; ///< Entries of a signature, without a comma at the end.
  const std::vector<SourceParameter> parameters;
  const std::vector<ParameterFacts> facts; ///< Of the parameters.
  const bool isFixed;                      ///< Whether the program has one signature alone.
  SpecializationTable table;
  std::mutex mutex; ///< Guards `flights`, and insertion into `table`.
  std::map<std::vector<uint64_t>, std::shared_ptr<Flight>> flights;
};

} // namespace tilerun::core
