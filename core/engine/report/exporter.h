#pragma once
// What an engineer takes away of a candidate, one folder:
//
//   kernel.cpp plan.json   the source and the plan           reference.cpp   a plain kernel of the same task, to check against
//   task.py                the task as PyTorch operators     task.h          buffers and steps of both, as tables
//   main.cpp               draws, runs, checks, times        build.sh        the build lines
//   loader.py              puts the kernel into a module     README.md       how to use them, and where they come from
//
// main.cpp and loader.py are copied from resources/export; the others are written here.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/store/session.h"

namespace kw::report {

// Returns the folders that were written. An existing folder is written into, its other files are left alone.
base::Result<std::vector<std::string>> export_candidate(const store::Session& session, const std::string& id, const std::string& folder);
base::Result<std::vector<std::string>> export_winners(const store::Session& session, const std::string& folder);   // FOLDER/TASK for each

}  // namespace kw::report
