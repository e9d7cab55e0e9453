#pragma once
// What an engineer takes away of a candidate, one folder:
//
//   kernel.cpp, .cu        the source                        plan.json       buffers and steps, on cuda with their launches
//   reference.cpp, .cu     a plain kernel to check against   task.h          buffers and steps of both, as tables
//   main.cpp, checking.h   draws, runs, checks, times        build.sh        builds it
//   loader.py, checking.py puts the kernel into a module     task.py         the task as PyTorch operators
//   compile_flags.txt      cuda: what NVRTC is told          README.md       how to use them, and where they come from
//
// Programs are copied from resources/export (cuda: build.sh, too); the others are written here.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/store/session.h"

namespace kw::report {

// Returns the folders that were written. An existing folder is written into, its other files are left alone.
base::Result<std::vector<std::string>> export_candidate(const store::Session& session, const std::string& id, const std::string& folder);
base::Result<std::vector<std::string>> export_winners(const store::Session& session, const std::string& folder);   // FOLDER/TASK for each

}  // namespace kw::report
