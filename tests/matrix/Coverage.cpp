#include "tests/matrix/Results.h"
using namespace tilerun;
std::vector<std::string> matrix::checkCoverage(const Cells &) { return {}; }
std::vector<matrix::Excuse> matrix::getExcuses() { return {}; }
