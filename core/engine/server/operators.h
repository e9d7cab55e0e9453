#pragma once
// The rows of the Operators table: each card of the profile with the task that it belongs to and the best that was found there.

#include "core/engine/server/tree_replay.h"

namespace kw::server {

// {operators, model_us, ceilings, predicted_speedup}; the last two absent without a profile.
base::Result<nlohmann::json> operators_json(const store::Session& session, const TreeReplay& tree, bool running);

}  // namespace kw::server
