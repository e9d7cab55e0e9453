#include "core/engine/search/stoppers.h"

namespace kw::search {
namespace {

template <typename Condition>
class When final : public Stopper {
 public:
  When(std::string reason, Condition condition) : reason_(std::move(reason)), condition_(std::move(condition)) {}
  std::optional<std::string> reason(const Progress& progress) const override {
    if (condition_(progress)) return reason_;
    return std::nullopt;
  }

 private:
  std::string reason_;
  Condition condition_;
};

template <typename Condition>
std::unique_ptr<Stopper> when(std::string reason, Condition condition) {
  return std::make_unique<When<Condition>>(std::move(reason), std::move(condition));
}

}  // namespace

std::unique_ptr<Stopper> stop_after_evaluations(int evaluations) {
  return when("evaluations", [=](const Progress& p) { return p.issued >= evaluations; });
}
std::unique_ptr<Stopper> stop_after_minutes(double minutes) {
  return when("minutes", [=](const Progress& p) { return p.seconds >= minutes * 60; });
}
std::unique_ptr<Stopper> stop_at_plateau(int evaluations_without_gain) {
  return when("plateau", [=](const Progress& p) { return p.since_gain >= evaluations_without_gain; });
}
std::unique_ptr<Stopper> stop_at_roofline() {
  return when("roofline", [](const Progress& p) { return p.all_at_roofline; });
}
std::unique_ptr<Stopper> stop_when_cancelled(base::CancelToken token) {
  return when("cancelled", [token](const Progress&) { return token.cancelled(); });
}

std::unique_ptr<Stopper> stop_when(std::string reason, std::function<bool()> condition) {
  return when(std::move(reason), [condition = std::move(condition)](const Progress&) { return condition(); });
}

std::optional<std::string> first_reason(const Stoppers& chain, const Progress& progress) {
  for (const auto& stopper : chain)
    if (auto why = stopper->reason(progress)) return why;
  return std::nullopt;
}

}  // namespace kw::search
