#pragma once
// For the test and the bench of vector maths: each function with its reference, and the error of a compiled kernel in units
// in the last place of the correctly rounded result.

#include <string>
#include <vector>

#include "tests/unit/kernel/emit/compiled_nests.h"

namespace kw::kernel::testing {

struct Function {
  Op op;
  int arguments;
  long double (*reference)(long double, long double);
  double claim_f32, claim_f64;               // ulp, as the table in vector_math.h says
};
const std::vector<Function>& functions();

LoopNest nest_of(const Function& function, DType type, std::int64_t elements, int lanes);   // named after op, type and lanes

struct Accuracy {
  double worst_ulp = 0;                      // infinite where NaN, an infinity or its sign is wrong
  double at[2] = {0, 0};
  long double expected = 0;
  double got = 0;
};
template <typename T>
void add_errors(const Function& function, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& results, Accuracy& out);
extern template void add_errors(const Function&, const std::vector<float>&, const std::vector<float>&, const std::vector<float>&, Accuracy&);
extern template void add_errors(const Function&, const std::vector<double>&, const std::vector<double>&, const std::vector<double>&, Accuracy&);

}  // namespace kw::kernel::testing
