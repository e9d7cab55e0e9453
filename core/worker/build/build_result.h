#pragma once
// What a builder answers: an object that may be loaded, or why there is none. Plain data.

#include <string>
#include <vector>

#include "core/protocol/records.h"
#include "core/worker/build/refusal.h"

namespace kw::build {

struct BuildResult {
  std::string object;                     // path of the .so or .cubin; "" when refused
  protocol::Verdict verdict = protocol::Verdict::accepted;   // build_error or cheat when refused
  std::string kind;
  protocol::Evidence evidence;
  std::vector<protocol::Span> spans;      // "compile"; empty when the cache had it
  bool from_cache = false;
};

// Turns a result into a refusal: build_error or cheat, with its evidence and without an object.
inline void refuse_result(BuildResult& result, const Refusal& refusal) {
  result.object.clear();
  result.verdict = refusal.cheat ? protocol::Verdict::cheat : protocol::Verdict::build_error;
  result.kind = refusal.kind;
  result.evidence.summary = refusal.summary;
  result.evidence.detail = refusal.detail;
}

}  // namespace kw::build
