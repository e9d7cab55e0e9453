// review/*, trust/*: what people agree to.
#include <algorithm>

#include "core/base/hash.h"
#include "core/engine/server/desk.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/reviews.h"

namespace kw::server {

Answer review_set(Desk&, const json& params) {
  store::ReviewRecord review;
  review.candidate = params.at("candidate").get<std::string>();
  review.decision = params.at("decision").get<std::string>();
  review.comment = params.value("comment", "");
  review.reviewer = params.at("reviewer").get<std::string>();
  const auto decisions = {"approved", "rejected", "comment"};
  if (std::find(decisions.begin(), decisions.end(), review.decision) == decisions.end()) return base::bad_input("a review is approved, rejected or comment.", review.decision);
  if (review.reviewer.empty()) return base::bad_input("a review bears the reviewer's name.", "reviewer");
  auto session = writable(params.at("session").get<std::string>());
  if (!session) return session.error();
  auto hash = candidate_hash(*session, review.candidate);
  if (!hash) return hash.error();
  review.hash = *hash;
  if (auto added = session->add_review(review); !added) return added.error();
  auto all = reviews_json(*session, review.candidate);
  if (!all) return all.error();
  return all->back();
}

Answer review_list(Desk&, const json& params) {
  auto session = session_of(params);
  if (!session) return session.error();
  auto reviews = reviews_json(*session, "");
  if (!reviews) return reviews.error();
  return json{{"reviews", std::move(*reviews)}};
}

Answer trust_check(Desk& desk, const json& params) {
  auto hash = base::sha256_file(params.at("path").get<std::string>());
  if (!hash) return hash.error();
  return json{{"sha256", *hash}, {"trusted", desk.trust.trusted(*hash)}};
}

Answer trust_grant(Desk& desk, const json& params) {
  auto status = desk.trust.grant(params.at("sha256").get<std::string>());
  if (!status) return status.error();
  return json::object();
}

}  // namespace kw::server
