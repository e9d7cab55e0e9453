#pragma once
// NVIDIA's run-time compiler, opened at run time from the torch wheel or a toolkit: CUDA C++ to a cubin, without driver or GPU.
// It runs in this process: a source that exhausts it takes the process along. Any thread, several at once.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/worker/cuda/library.h"

namespace kw::cuda {

struct CompileResult {
  bool ok = false;
  std::string cubin;   // the image, when ok
  std::string log;     // errors and warnings, "name(line): error: …"
};

class Nvrtc {
 public:
  // Looks where library_paths says, for KW_NVRTC and `folders`. `not_found` names what was tried.
  static base::Result<std::shared_ptr<const Nvrtc>> open(const std::vector<std::string>& folders);

  // `name` stands in messages; `arch` is "sm_90"; `stop` is asked now and then and ends the compilation when it says true
  // (`cancelled`). A source that is at fault is no Error but ok == false. `bad_input`: an option or arch is unknown.
  base::Result<CompileResult> compile(const std::string& source, const std::string& name, const std::string& arch,
                                      const std::vector<std::string>& options, const std::function<bool()>& stop = {}) const;

  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  const std::string& path() const { return path_; }   // of the library that was opened

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
  int major_ = 0, minor_ = 0;
  std::string path_;
};

}  // namespace kw::cuda
