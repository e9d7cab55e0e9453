#pragma once
// Vector maths of emitted kernels: our own source, so that what is verified is what ships. Right for every argument,
// subnormals, infinities and NaN included; never a call into libm. Coefficients are minimax fits of our own (Remez, in
// 200-bit arithmetic, then rounded to the lane's type).
//
// Largest error measured against 80-bit long double, in units of the last place of the result (0.5 is correct rounding),
// and time for one element in ns, on an AVX2 machine with FMA in vectors of 32 bytes. f32: every 97th value of the whole
// range (2^24 pairs for two arguments); f64: 2^22 random patterns. `vector_math_bench` prints this table,
// accuracy_test.cpp checks it. In parentheses ATen's own vectorised time on the same machine.
//
//               f32 ulp   f32 ns          f64 ulp   f64 ns
//   exp           1.00    0.63 (1.4)        1.00    2.0 (2.3)
//   exp2          0.82    0.47 (0.9)        1.10    1.6 (1.9)
//   expm1         1.46    0.59 (2.6)        2.04    1.7 (5.0)
//   log           0.87    0.81 (1.6)        0.82    2.7 (3.1)
//   log2          1.05    0.79 (1.6)        0.95    2.2 (3.0)
//   log10         0.96    1.13 (1.7)        0.91    2.6 (3.3)
//   log1p         1.48    0.83 (1.9)        1.37    2.7 (5.0)
//   sqrt          0.50    0.20              0.50    0.7           the machine's
//   rsqrt         1.49    0.36              1.48    1.1           1 / sqrt(x)
//   sin           0.50    1.31 (1.9)        0.78    2.4 (4.1)     f32 in f64 lanes; Payne-Hanek lane by lane from 2^19 on
//   cos           0.50    1.64 (2.0)        0.78    2.3 (4.1)
//   tan           0.50    2.43 (2.5)        2.15    2.5 (8.2)
//   tanh          1.31    0.95 (3.7)        2.65    2.7 (9.0)
//   sigmoid       2.28    0.85 (1.3)        2.14    2.7 (3.4)
//   erf           1.49    0.67 (2.0)        1.36    6.3 (8.1)
//   erfc          0.50    6.6  (2.5)        3.60    6.9 (12)      f32 in f64 lanes
//   pow           0.50    9.1               1.13    9.3           f32 in f64 lanes; f64 with a logarithm of two parts
//   atan2         0.50    4.2               2.21    3.8           f32 in f64 lanes
//   fmod          exact   2.0               exact   5.2
//   floor, ceil, round (half to even), trunc: exact, 0.1 and 0.3 ns
//
// Without FMA the polynomials round more often: up to 0.7 ulp on top.

#include "core/kernel/emit/prelude.h"

namespace kw::kernel {

const std::vector<Snippet>& vector_math_shared_snippets();
const std::vector<Snippet>& vector_math_f64_snippets();
const std::vector<Snippet>& vector_math_trig_snippets();
const std::vector<Snippet>& vector_math_f32_snippets();

}  // namespace kw::kernel
