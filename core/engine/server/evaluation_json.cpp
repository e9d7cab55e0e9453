#include "core/engine/server/evaluation_json.h"

namespace kw::server {

using nlohmann::json;

json evaluation_json(const store::EvaluationRecord& e) {
  const auto& evaluation = e.evaluation;
  json out = {{"id", e.id}, {"run", e.run}, {"purpose", e.purpose}, {"attempt", e.attempt}, {"verdict", evaluation.verdict_text()},
              {"wall_s", e.wall_s}, {"evidence", evaluation.evidence}};
  for (const auto& row : protocol::verdicts())
    if (row.verdict == evaluation.verdict) out["meaning"] = row.meaning;
  if (!evaluation.measurement) return out;
  out["measurement"] = *evaluation.measurement;
  out["outcome"] = protocol::name(protocol::outcome(*evaluation.measurement));
  return out;
}

}  // namespace kw::server
