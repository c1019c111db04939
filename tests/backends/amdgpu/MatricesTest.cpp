// Every row of the table of matrix instructions, on every architecture that has it: the code
// generator knows the intrinsic, takes the operands' types and emits the one instruction.
#include "backends/amdgpu/Matrices.h"
#include "backends/amdgpu/Compile.h"

#include "gtest/gtest.h"

#include <map>

using namespace tilerun;
using target::MatrixElement;

namespace {

const char *kArchitectures[] = {"gfx90a",  "gfx942",  "gfx950",  "gfx1030", "gfx1100", "gfx1101",
                                "gfx1102", "gfx1150", "gfx1151", "gfx1200", "gfx1201"};

/// MLIR's type of an element in a fragment.
llvm::StringRef typeOf(MatrixElement element) {
  switch (element) {
  case MatrixElement::TF32:
    return "f32";
  case MatrixElement::E4M3:
    return "f8E4M3FN";
  case MatrixElement::E5M2:
    return "f8E5M2";
  case MatrixElement::E4B8:
    return "f8E4M3FNUZ";
  case MatrixElement::E5B16:
    return "f8E5M2FNUZ";
  case MatrixElement::E2M1:
    return "i8"; // a pair
  default:
    return nameOf(element);
  }
}

std::string vectorOf(MatrixElement element, const layout::LinearLayout &fragment) {
  const unsigned count =
      (1u << fragment.inBits(layout::kRegister)) / (element == MatrixElement::E2M1 ? 2 : 1);
  return ("vector<" + llvm::Twine(count) + "x" + typeOf(element) + ">").str();
}

/// Per-thread IR with one instruction, whose operands are loaded and whose result is stored.
std::string kernelOf(const target::MatrixInstruction &instruction, unsigned lanes) {
  const std::string a = vectorOf(instruction.a, instruction.aLayout),
                    b = vectorOf(instruction.b, instruction.bLayout),
                    d = vectorOf(instruction.acc, instruction.dLayout);
  return "func.func @k(%x: i64 {simt.pointer}, %s: i32) attributes {tile.kernel, simt.threads = " +
         std::to_string(lanes) + " : i32} {\n  %a = simt.load %x : " + a +
         "\n  %b = simt.load %x : " + b + "\n  %c = simt.load %x : " + d + "\n  %d = simt.mma \"" +
         instruction.name + "\" %a, %b, %c" +
         (instruction.isScaled ? " scales %s, %s bytes [1, 2] : " : " : ") + a + ", " + b + ", " +
         d + "\n  simt.store %x, %d : " + d + "\n  return\n}\n";
}

/// The lines of `assembly` with a matrix instruction.
std::vector<std::string> matrixLines(llvm::StringRef assembly) {
  std::vector<std::string> found;
  llvm::SmallVector<llvm::StringRef> lines;
  assembly.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.trim().starts_with("v_mfma") || line.trim().starts_with("v_wmma"))
      found.push_back(line.trim().str());
  return found;
}

TEST(Matrices, EveryInstructionIsOneOfTheHardware) {
  for (const char *name : kArchitectures) {
    const amdgpu::Architecture arch = llvm::cantFail(amdgpu::getArchitecture(name));
    for (const target::MatrixInstruction &instruction : arch.info.matrixInstructions) {
      SCOPED_TRACE(std::string(name) + " " + instruction.name);
      amdgpu::AmdgpuOptions options;
      options.arch = name;
      options.numWarps = 1;
      auto artifact = amdgpu::compile(kernelOf(instruction, arch.info.warpSize), options,
                                      amdgpu::Stage::Amdgcn);
      ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
      const std::vector<std::string> lines = matrixLines(artifact->codeObject);
      ASSERT_EQ(lines.size(), 1u);
      const std::string shape = std::to_string(instruction.m) + "x" +
                                std::to_string(instruction.n) + "x" + std::to_string(instruction.k);
      EXPECT_NE(lines[0].find(shape), std::string::npos) << lines[0];
      const bool isMfma = llvm::StringRef(instruction.name).starts_with("mfma");
      EXPECT_EQ(lines[0].substr(0, 6), isMfma ? "v_mfma" : "v_wmma");
      EXPECT_EQ(lines[0].find("v_mfma_scale_") == 0, instruction.isScaled) << lines[0];
      EXPECT_EQ(lines[0].find(" op_sel:[1,0,0] op_sel_hi:[0,1,0]") != std::string::npos,
                instruction.isScaled)
          << lines[0];
    }
  }
}

// A name is unique, fragments have the instruction's sizes, and a wave holds each exactly as often
// as the family copies operands: twice on gfx11, once elsewhere.
TEST(Matrices, FragmentsHaveTheInstructionsSizes) {
  for (const char *name : kArchitectures) {
    const amdgpu::Architecture arch = llvm::cantFail(amdgpu::getArchitecture(name));
    const unsigned copies = arch.generation == amdgpu::Generation::Rdna3 ? 2 : 1;
    std::map<std::string, int> names;
    for (const target::MatrixInstruction &row : arch.info.matrixInstructions) {
      SCOPED_TRACE(std::string(name) + " " + row.name);
      EXPECT_EQ(++names[row.name], 1);
      auto expectSizes = [&](const layout::LinearLayout &fragment, unsigned rows, unsigned columns,
                             unsigned times) {
        EXPECT_EQ(1u << fragment.outBits(layout::dimName(0)), rows);
        EXPECT_EQ(1u << fragment.outBits(layout::dimName(1)), columns);
        EXPECT_EQ(1u << fragment.inBits(layout::kLane), arch.info.warpSize);
        EXPECT_EQ((1u << fragment.inBits(layout::kRegister)) * arch.info.warpSize,
                  rows * columns * times);
      };
      expectSizes(row.aLayout, row.m, row.k, copies);
      expectSizes(row.bLayout, row.k, row.n, copies);
      expectSizes(row.dLayout, row.m, row.n, 1);
    }
    EXPECT_EQ(names.empty(), arch.generation == amdgpu::Generation::Rdna2) << name;
  }
}

// The fastest instruction of each type has AMD's peak rate: operations of four SIMDs in a cycle.
TEST(Matrices, CyclesAreThoseOfThePeakRates) {
  using E = MatrixElement;
  const struct {
    const char *arch;
    E element;
    unsigned operations;
  } peaks[] = {{"gfx90a", E::F16, 1024},  {"gfx90a", E::I8, 1024},    {"gfx90a", E::F32, 256},
               {"gfx90a", E::F64, 256},   {"gfx942", E::BF16, 2048},  {"gfx942", E::TF32, 1024},
               {"gfx942", E::E4B8, 4096}, {"gfx942", E::I8, 4096},    {"gfx942", E::F64, 256},
               {"gfx950", E::F16, 4096},  {"gfx950", E::E4M3, 8192},  {"gfx950", E::E2M1, 16384},
               {"gfx950", E::I8, 8192},   {"gfx950", E::F64, 128},    {"gfx1100", E::F16, 1024},
               {"gfx1100", E::I8, 1024},  {"gfx1201", E::BF16, 2048}, {"gfx1201", E::I8, 4096},
               {"gfx1201", E::E5M2, 4096}};
  for (const auto &[name, element, operations] : peaks) {
    const amdgpu::Architecture arch = llvm::cantFail(amdgpu::getArchitecture(name));
    unsigned most = 0;
    for (const target::MatrixInstruction &row : arch.info.matrixInstructions)
      if (row.a == element && row.b == element)
        most = std::max(most, arch.info.matrixUnits * 2 * row.m * row.n * row.k / row.cycles);
    EXPECT_EQ(most, operations) << name << " " << nameOf(element).str();
  }
}

// An instruction of another generation is an error that names it, not a crash of the code
// generator.
TEST(Matrices, AnotherGenerationsInstructionIsRefused) {
  const amdgpu::Architecture other = llvm::cantFail(amdgpu::getArchitecture("gfx950"));
  const target::MatrixInstruction *row = other.info.findMatrix("mfma.f32.32x32x16.f16");
  ASSERT_TRUE(row);
  amdgpu::AmdgpuOptions options;
  options.arch = "gfx942";
  options.numWarps = 1;
  auto artifact = amdgpu::compile(kernelOf(*row, 64), options);
  ASSERT_FALSE(bool(artifact));
  EXPECT_NE(llvm::toString(artifact.takeError())
                .find("hip:gfx942 has no matrix instruction 'mfma.f32.32x32x16.f16'"),
            std::string::npos);
}

} // namespace
