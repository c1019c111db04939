// Runs the assembler, the compiler and the linker on temporary files.
#include "tests/emulators/amdgpu/TestKernels.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace tilerun::amdsim::tests {

namespace {

struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "amdsimXXXXXX").string();
  Folder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~Folder() {
    for (const char *name : {"/in", "/object", "/linked"})
      unlink((path + name).c_str());
    rmdir(path.c_str());
  }
};

std::vector<char> build(const std::string &tool, const std::string &text) {
  Folder folder;
  std::ofstream(folder.path + "/in") << text;
  std::string bin = TILERUN_LLVM_BIN "/";
  std::string make =
      bin + tool + " -filetype=obj -o " + folder.path + "/object " + folder.path + "/in";
  std::string link =
      bin + "ld.lld -shared -o " + folder.path + "/linked " + folder.path + "/object";
  // The commands are this file's own.
  EXPECT_EQ(std::system(make.c_str()), 0) << text; // NOLINT(bugprone-command-processor)
  EXPECT_EQ(std::system(link.c_str()), 0) << text; // NOLINT(bugprone-command-processor)
  std::ifstream file(folder.path + "/linked", std::ios::binary);
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

bool isGfx9(const std::string &cpu) { return cpu.starts_with("gfx9"); }

std::string replace(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string descriptor(const std::string &cpu, const Source &k) {
  std::string text = R"(
.rodata
.p2align 6
.amdhsa_kernel NAME
  .amdhsa_group_segment_fixed_size LDS
  .amdhsa_private_segment_fixed_size SCRATCH
  .amdhsa_kernarg_size ARGS
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 192
  .amdhsa_next_free_sgpr 96
)";
  const char *fields[] = {"float_round_mode_32", "float_round_mode_16_64", "float_denorm_mode_32",
                          "float_denorm_mode_16_64"};
  for (unsigned field = 0; field < std::size(fields); ++field)
    text += std::string("  .amdhsa_") + fields[field] + " " +
            std::to_string(k.mode >> 2 * field & 3) + "\n";
  text += isGfx9(cpu)  ? "  .amdhsa_accum_offset 128\n"
          : k.isWave64 ? "  .amdhsa_wavefront_size32 0\n"
                       : "  .amdhsa_wavefront_size32 1\n";
  if (!cpu.starts_with("gfx12"))
    text += std::string("  .amdhsa_ieee_mode ") + (k.isIeee ? "1\n" : "0\n");
  if (k.hasPrivateBuffer)
    text += "  .amdhsa_user_sgpr_private_segment_buffer 1\n";
  if (k.scratchBytes)
    text += cpu == "gfx90a" ? "  .amdhsa_system_sgpr_private_segment_wavefront_offset 1\n"
                            : "  .amdhsa_enable_private_segment 1\n";
  return text + ".end_amdhsa_kernel\n";
}

std::string metadata(const std::string &cpu, const Source &k) {
  return std::string(R"(
  - .name: NAME
    .symbol: NAME.kd
    .kernarg_segment_size: ARGS
    .kernarg_segment_align: 8
    .group_segment_fixed_size: LDS
    .private_segment_fixed_size: SCRATCH
    .wavefront_size: )") +
         (isGfx9(cpu) || k.isWave64 ? "64" : "32") + R"(
    .sgpr_count: 96
    .vgpr_count: 192
    .agpr_count: )" +
         (isGfx9(cpu) ? "64" : "0") + R"(
    .max_flat_workgroup_size: 1024
    .args:
      - .offset: 0
        .size: ARGS
        .value_kind: by_value
)";
}

} // namespace

std::vector<char> assemble(const std::string &cpu, const std::vector<Source> &kernels) {
  std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + cpu + "\"\n", notes;
  for (const Source &k : kernels) {
    auto fill = [&](std::string part) {
      part = replace(std::move(part), "NAME", k.name);
      part = replace(std::move(part), "LDS", std::to_string(k.ldsBytes));
      part = replace(std::move(part), "SCRATCH", std::to_string(k.scratchBytes));
      return replace(std::move(part), "ARGS", std::to_string(k.argumentBytes));
    };
    text += fill(".text\n.globl NAME\n.p2align 8\n.type NAME,@function\nNAME:\n") + k.body +
            "\n  s_endpgm\n";
    text += fill(descriptor(cpu, k));
    notes += fill(metadata(cpu, k));
  }
  text += ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:" + notes +
          "...\n.end_amdgpu_metadata\n";
  // Halves of registers are written as whole registers here; the encoding is the same.
  std::string halves = isGfx9(cpu) ? "" : " -mattr=-real-true16";
  return build("llvm-mc -triple=amdgcn-amd-amdhsa -g -mcpu=" + cpu + halves, text);
}

std::vector<char> compile(const std::string &cpu, const std::string &ir) {
  return build("llc -O3 -mtriple=amdgcn-amd-amdhsa -mcpu=" + cpu, ir);
}

Loaded load(const std::string &cpu, const std::vector<char> &object) {
  Loaded loaded;
  llvm::Expected<std::unique_ptr<Device>> device = Device::create(cpu);
  if (!device) {
    ADD_FAILURE() << llvm::toString(device.takeError());
    return loaded;
  }
  loaded.device = std::move(*device);
  llvm::Expected<std::unique_ptr<Module>> module = loaded.device->load(object);
  if (!module)
    ADD_FAILURE() << llvm::toString(module.takeError());
  else
    loaded.module = std::move(*module);
  return loaded;
}

LaunchResult Loaded::run(const std::string &kernel, uint64_t first, uint64_t second,
                         LaunchOptions options) {
  uint64_t arguments[2] = {first, second};
  llvm::Expected<LaunchResult> result = device->launch(
      *module, kernel, {reinterpret_cast<const uint8_t *>(arguments), sizeof arguments}, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

std::string messages(const LaunchResult &result) {
  std::string text;
  for (const Finding &finding : result.findings)
    text += finding.message() + "\n";
  return text;
}

std::string aroundInstruction(const std::string &cpu, const std::string &text) {
  bool old = isGfx9(cpu), newest = cpu.starts_with("gfx12");
  std::string loadScalar = old ? "s_load_dwordx4" : "s_load_b128",
              loadVector = old ? "global_load_dwordx4" : "global_load_b128";
  std::string store = old ? "global_store_dwordx2" : "global_store_b64";
  std::string waitScalar = newest ? "s_wait_kmcnt 0" : "s_waitcnt lgkmcnt(0)";
  std::string waitVector = newest ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)";
  return loadScalar + " s[4:7], s[0:1], 0x0\n" + "v_and_b32 v0, 0x3ff, v0\n" +
         "v_lshlrev_b32 v6, 4, v0\n" + "v_lshlrev_b32 v7, 3, v0\n" + waitScalar + "\n" +
         loadVector + " v[0:3], v6, s[4:5]\n" + "v_mov_b32 v4, 0\n" + "v_mov_b32 v5, 0\n" +
         waitVector + "\n" + text + "\n" + store + " v7, v[4:5], s[6:7]\n";
}

} // namespace tilerun::amdsim::tests
