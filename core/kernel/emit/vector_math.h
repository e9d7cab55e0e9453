#pragma once
// Vector maths of emitted kernels: our own source, so that what is verified is what ships.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {

const std::vector<Snippet>& vector_math_shared_snippets();
const std::vector<Snippet>& vector_math_f64_snippets();
const std::vector<Snippet>& vector_math_trig_snippets();
const std::vector<Snippet>& vector_math_f32_snippets();

}  // namespace kw::kernel
