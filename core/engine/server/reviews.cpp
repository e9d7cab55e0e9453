#include "core/engine/server/reviews.h"

#include <map>

#include "core/engine/store/plan_json.h"

namespace kw::server {

using nlohmann::json;

base::Result<std::string> candidate_hash(const store::Session& session, const std::string& candidate) {
  auto record = session.candidate(candidate);
  if (!record) return record.error();
  auto plan = store::plan_of(*record);
  if (!plan) return plan.error();
  return plan::hash(*plan);
}

base::Result<json> reviews_json(const store::Session& session, const std::string& candidate) {
  auto reviews = session.reviews(candidate);
  if (!reviews) return reviews.error();
  std::map<std::string, std::string> hashes;
  json out = json::array();
  for (const auto& review : *reviews) {
    std::string& hash = hashes[review.candidate];
    if (hash.empty()) {
      auto now = candidate_hash(session, review.candidate);
      hash = now ? *now : "unknown";
    }
    out.push_back({{"candidate", review.candidate}, {"decision", review.decision}, {"comment", review.comment}, {"reviewer", review.reviewer},
                   {"date", review.date}, {"hash", review.hash}, {"void", review.hash != hash}});
  }
  return out;
}

}  // namespace kw::server
