#pragma once
// A user's Python file as a .pt2 archive: resources/python/kw_export.py run by the user's Python. No torch.

#include <string>

#include "core/base/result.h"

namespace kw::aten {

// `python` where given; else the .venv beside the program, its folders above or the sources; else python3.
std::string choose_python(const std::string& python);

// The path of the archive in `cache`. `input_set`: one that the module names, "" for get_inputs(). It is made again when the file, a
// Python or weight file beside it, the Python, the seed, the input set or the exporter changes. The user's mistakes come back as bad_input with their file and line as context.
base::Result<std::string> export_model(const std::string& path, const std::string& python, std::uint64_t seed, const std::string& input_set,
                                       const std::string& cache);

}  // namespace kw::aten
