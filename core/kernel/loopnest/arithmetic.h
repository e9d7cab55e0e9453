#pragma once
// Scalar arithmetic of every Op as ATen defines it, for the interpreter: f32 rounded after each operation, f64 in double,
// integers exactly with wrap-around. Integer division by zero gives 0 (ATen raises; a kernel cannot).

#include "core/base/result.h"
#include "core/kernel/definition/expression.h"

namespace kw::kernel {

// One element: `number` for f32 and f64, `integer` for i64, i32 and boolean (0 or 1).
struct Scalar {
  DType type = DType::f32;
  double number = 0;
  std::int64_t integer = 0;
};

Scalar of_number(DType type, double value);          // f32: rounded
Scalar of_integer(DType type, std::int64_t value);   // i32: wrapped; boolean: value != 0

Scalar convert(const Scalar& value, DType computing);
double stored(const Scalar& value, DType storage);   // what a load of that storage gives back, as a double
Scalar loaded(double element, DType computing);

bool defined(Op op, DType operand);                  // the unary or binary operation exists on that computing type
base::Result<Scalar> apply(Op op, DType type, const Scalar& a);
base::Result<Scalar> apply(Op op, DType type, const Scalar& a, const Scalar& b);

}  // namespace kw::kernel
