#pragma once
// What `kernelwright show` and `diff` print: one candidate in full, failures with their evidence, the search graph as
// text, the profiled run on the clock, and the difference of two candidates. Reads the session; may run the compiler for --asm.

#include <string>

#include "core/base/result.h"
#include "core/engine/store/session.h"

namespace kw::report {

base::Result<std::string> candidate_page(const store::Session& session, const std::string& id, bool assembly);
base::Result<std::string> failures_page(const store::Session& session);
base::Result<std::string> tree_page(const store::Session& session);
base::Result<std::string> timeline_page(const store::Session& session);
base::Result<nlohmann::json> timeline_trace(const store::Session& session);   // the same as a Chrome trace
base::Result<std::string> difference_page(const store::Session& session, const std::string& from, const std::string& to);

// Sentences on what separates two candidates of one task, from the generator; empty with a note where it cannot say.
std::vector<std::string> explained(const store::Session& session, const store::CandidateRecord& from, const store::CandidateRecord& to);

}  // namespace kw::report
