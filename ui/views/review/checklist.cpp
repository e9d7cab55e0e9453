#include "ui/views/review/checklist.h"

#include <algorithm>

#include "ui/models/quantities.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

namespace {

const json& last_evaluation(const json& candidate) {
  static const json none = json::object();
  const json& evaluations = array(candidate, "evaluations");
  return evaluations.empty() ? none : evaluations.back();
}

Check is_right(const json& candidate) {
  const json& last = last_evaluation(candidate);
  const QString verdict = text(last, "verdict");
  return {QStringLiteral("Is it right?"), verdict.isEmpty() ? QStringLiteral("Not evaluated.") : look_text(verdict) + QStringLiteral(". ") + text(member(last, "evidence"), "summary"),
          verdict == QLatin1String("accepted")};
}

Check is_afresh(const json& candidate) {
  for (const json& evaluation : array(candidate, "evaluations"))
    if (text(evaluation, "purpose") != QLatin1String("search") && text(evaluation, "verdict") == QLatin1String("accepted"))
      return {QStringLiteral("Was it measured again, afresh?"), QStringLiteral("Yes, evaluation %1 (%2).").arg(text(evaluation, "id"), text(evaluation, "purpose")), true};
  return {QStringLiteral("Was it measured again, afresh?"), QStringLiteral("No: only in the search that found it. Press “Verify again here”."), false};
}

Check is_precise(const json& candidate) {
  const json& errors = array(member(last_evaluation(candidate), "evidence"), "errors");
  double worst = 0, eager = 0;
  bool within = !errors.empty();
  for (const json& e : errors) {
    const double max = number(e, "max").value_or(0);
    worst = std::max(worst, max);
    eager = std::max(eager, number(e, "eager_max").value_or(0));
    within = within && max <= number(e, "tolerance_max").value_or(0);
  }
  return {QStringLiteral("Is its error within the tolerance?"),
          errors.empty() ? QStringLiteral("No errors are recorded.") : QStringLiteral("Largest error %1, eager's %2.").arg(error_text(worst), error_text(eager)), within};
}

Check nothing_left_out(const json& candidate) {
  double left_out = 0;
  for (const json& e : array(member(last_evaluation(candidate), "evidence"), "errors")) left_out += number(e, "left_out").value_or(0);
  return {QStringLiteral("Were all elements compared?"),
          left_out > 0 ? QStringLiteral("%1 were left out, where eager itself disagrees with float64.").arg(left_out) : QStringLiteral("Yes."), left_out == 0};
}

Check is_faster(const json& candidate) {
  const json* measured = best_measurement(candidate);
  const std::optional<Range> ci = measured ? range(*measured, "ratio_ci95") : std::nullopt;
  return {QStringLiteral("Is it faster for certain?"),
          ci ? QStringLiteral("%1 over %2.").arg(speedup_text(number(*measured, "ratio"), ci), text(*measured, "baseline")) : QStringLiteral("It was not timed."), ci && ci->low > 1};
}

Check was_quiet(const json& candidate) {
  const json* measured = best_measurement(candidate);
  const double rounds = measured ? number(*measured, "rounds").value_or(0) : 0, discarded = measured ? number(*measured, "discarded").value_or(0) : 0;
  return {QStringLiteral("Was the machine quiet?"), QStringLiteral("%1 rounds, %2 discarded for other load.").arg(rounds).arg(discarded), rounds > 0 && discarded * 4 < rounds};
}

Check is_here(const json& candidate, const QString& here) {
  const json* measured = best_measurement(candidate);
  const QString device = measured ? text(*measured, "device") : QString();
  return {QStringLiteral("Was it measured on this machine's device?"),
          device.isEmpty() ? QStringLiteral("The device is not recorded.") : QStringLiteral("Measured on %1; here: %2.").arg(device, here.isEmpty() ? QStringLiteral("not known") : here),
          !device.isEmpty() && here.contains(device)};
}

}  // namespace

std::vector<Check> checklist(const json& candidate, const QString& here) {
  return {is_right(candidate), is_afresh(candidate), is_precise(candidate), nothing_left_out(candidate), is_faster(candidate), was_quiet(candidate), is_here(candidate, here)};
}

}  // namespace kw::ui
