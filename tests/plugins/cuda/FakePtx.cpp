// Reads the declarations of kernels in PTX: `.entry NAME(.param .u64 .ptr .global .align 16 NAME,
// .param .b32 NAME)`. An array of bytes may stand for a parameter that is passed by value. Of the
// directives behind them, those of clusters.
#include "tests/plugins/cuda/FakePtx.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace fake_driver;

// The size of ".u32", ".b8", …; 0: no type.
static size_t getTypeBytes(const std::string &word) {
  if (word.size() < 3 || word[0] != '.' || std::string("busf").find(word[1]) == std::string::npos)
    return 0;
  char *end = nullptr;
  unsigned long bits = std::strtoul(word.c_str() + 2, &end, 10);
  return *end ? 0 : bits / 8;
}

static bool readParameter(const std::string &text, Kernel &kernel) {
  std::istringstream words(text);
  std::string word;
  size_t unit = 0, count = 1, alignment = 0;
  Parameter parameter = {0, 0, false};
  if (!(words >> word) || word != ".param")
    return false;
  while (words >> word) {
    if (word == ".ptr")
      parameter.isPointer = true;
    else if (word == ".align" && !parameter.isPointer)
      words >> alignment;
    else if (size_t bytes = getTypeBytes(word); bytes && !unit)
      unit = bytes;
    else if (size_t bracket = word.find('['); bracket != std::string::npos)
      count = std::strtoul(word.c_str() + bracket + 1, nullptr, 10);
  }
  if (!unit || !count)
    return false;
  alignment = std::max(alignment, unit);
  parameter.offset = (kernel.bytes + alignment - 1) / alignment * alignment;
  parameter.bytes = unit * count;
  kernel.bytes = parameter.offset + parameter.bytes;
  kernel.parameters.push_back(parameter);
  return true;
}

// The directives of a kernel, between its parameters and its body.
static bool readDirectives(const std::string &text, Kernel &kernel) {
  kernel.needsCluster = text.find(".explicitcluster") != std::string::npos;
  const std::string mark = ".reqnctapercluster";
  const size_t at = text.find(mark);
  if (at == std::string::npos)
    return !kernel.needsCluster;
  kernel.cluster.assign(3, 1);
  return std::sscanf(text.c_str() + at + mark.size(), " %u , %u , %u", &kernel.cluster[0],
                     &kernel.cluster[1], &kernel.cluster[2]) >= 1;
}

bool fake_cuda::readKernels(const std::string &text, std::vector<Kernel> &kernels) {
  const std::string mark = ".entry ";
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    size_t open = text.find_first_of("({", at), close = text.find(')', at);
    if (open == std::string::npos || close == std::string::npos)
      return false;
    Kernel kernel;
    std::istringstream(text.substr(at, open - at)) >> kernel.name;
    if (text[open] == '(') {
      std::istringstream list(text.substr(open + 1, close - open - 1));
      std::string parameter;
      while (std::getline(list, parameter, ','))
        if (parameter.find_first_not_of(" \t\n") != std::string::npos &&
            !readParameter(parameter, kernel))
          return false;
    }
    if (const size_t body = text.find('{', at);
        body != std::string::npos && !readDirectives(text.substr(at, body - at), kernel))
      return false;
    kernels.push_back(kernel);
  }
  return true;
}
