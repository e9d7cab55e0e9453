#pragma once
// Reviews as a client sees them: void where the candidate is no longer what was signed.

#include <nlohmann/json.hpp>

#include "core/engine/store/session.h"

namespace kw::server {

base::Result<nlohmann::json> reviews_json(const store::Session& session, const std::string& candidate);   // "": of all candidates
base::Result<std::string> candidate_hash(const store::Session& session, const std::string& candidate);    // of its plan

}  // namespace kw::server
