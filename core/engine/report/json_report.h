#pragma once
// The stable JSON of `optimize --json` and `profile --json`; described field by field in resources/help/json.md. Every number
// carries its unit in its name; what was not measured is null.

#include "core/engine/report/summary.h"

namespace kw::report {

inline constexpr const char* optimize_schema = "kernelwright.optimize/1";
inline constexpr const char* profile_schema = "kernelwright.profile/1";

nlohmann::json optimize_json(const Summary& summary);
nlohmann::json profile_json(const std::string& model, const protocol::Profile& profile, const protocol::Environment& environment);

}  // namespace kw::report
