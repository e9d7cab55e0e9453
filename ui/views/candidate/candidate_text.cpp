#include "ui/views/candidate/candidate_text.h"

#include <QRegularExpression>

#include "ui/models/quantities.h"
#include "ui/shell/theme.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

namespace {

QString cell(const QString& content, bool head = false) {
  const QString tag = head ? QStringLiteral("th") : QStringLiteral("td");
  return QStringLiteral("<%1 align=left style='padding:0.1em 1.4em 0.1em 0'>%2</%1>").arg(tag, content.toHtmlEscaped());
}

QString table_row(const QStringList& cells, bool head = false) {
  QString out = QStringLiteral("<tr>");
  for (const QString& one : cells) out += cell(one, head);
  return out + QStringLiteral("</tr>");
}

QString heading(const QString& words) { return QStringLiteral("<h4 style='margin-top:1em; margin-bottom:0.3em'>%1</h4>").arg(words.toHtmlEscaped()); }

QString worst_elements(const json& evidence) {
  const json& worst = array(evidence, "worst");
  if (worst.empty()) return {};
  QString out = heading(QStringLiteral("Worst elements")) + QStringLiteral("<table>") +
                table_row({QStringLiteral("Output"), QStringLiteral("Index"), QStringLiteral("Candidate"), QStringLiteral("Truth (float64)"), QStringLiteral("Error")}, true);
  for (const json& e : worst)
    out += table_row({text(e, "output"), QStringLiteral("[%1]").arg(text(e, "index")), QString::number(number(e, "value").value_or(0), 'g', 9),
                      QString::number(number(e, "truth").value_or(0), 'g', 12), error_text(number(e, "error"))});
  return out + QStringLiteral("</table>");
}

QString errors(const json& evidence) {
  const json& all = array(evidence, "errors");
  if (all.empty()) return {};
  QString out = heading(QStringLiteral("Error against float64")) + QStringLiteral("<table>") +
                table_row({QStringLiteral("Output"), QStringLiteral("Largest"), QStringLiteral("Eager's"), QStringLiteral("Allowed"), QStringLiteral("RMS"),
                           QStringLiteral("Eager's"), QStringLiteral("Allowed"), QStringLiteral("Left out")},
                          true);
  int output = 0;
  for (const json& e : all)
    out += table_row({QString::number(output++), error_text(number(e, "max")), error_text(number(e, "eager_max")), error_text(number(e, "tolerance_max")),
                      error_text(number(e, "rms")), error_text(number(e, "eager_rms")), error_text(number(e, "tolerance_rms")), text(e, "left_out")});
  return out + QStringLiteral("</table>");
}

QString detail(const json& evidence) {
  const QString words = text(evidence, "detail").trimmed();
  return words.isEmpty() ? QString() : heading(QStringLiteral("Detail")) + QStringLiteral("<pre style='white-space:pre-wrap'>%1</pre>").arg(words.toHtmlEscaped());
}

QString title(const json& evaluation) {
  const QString status = status_of(text(evaluation, "verdict"), text(evaluation, "outcome"));
  const QString context = QStringLiteral("evaluation %1 · %2").arg(text(evaluation, "id"), text(evaluation, "purpose"));
  return QStringLiteral("<h3><span style='color:%1'>%2</span> <span style='color:%3; font-weight:normal'>&nbsp;%4</span></h3>")
      .arg(look_color(status).name(), look_text(status).toHtmlEscaped(), tone(Tone::faint_text).name(), context.toHtmlEscaped());
}

QString launch_text(const json& step) {
  const json& launch = member(step, "launch");
  if (launch.empty()) return {};
  return QStringLiteral("grid [%1], block [%2], %3 of shared memory")
      .arg(text(launch, "grid"), text(launch, "block"), bytes_text(number(launch, "shared_bytes")));
}

}  // namespace

QString evidence_html(const json& evaluation) {
  const json& evidence = member(evaluation, "evidence");
  QString out = title(evaluation);
  if (const QString meaning = text(evaluation, "meaning"); !meaning.isEmpty()) out += QStringLiteral("<p>%1</p>").arg(meaning.toHtmlEscaped());
  if (const QString summary = text(evidence, "summary"); !summary.isEmpty()) out += QStringLiteral("<p><b>%1</b></p>").arg(summary.toHtmlEscaped());
  if (const QString inputs = text(evidence, "input_set"); !inputs.isEmpty()) out += QStringLiteral("<p>Inputs: %1</p>").arg(inputs.toHtmlEscaped());
  return out + worst_elements(evidence) + errors(evidence) + detail(evidence);
}

QString all_evidence_html(const json& candidate) {
  const json& evaluations = array(candidate, "evaluations");
  if (evaluations.empty()) return QStringLiteral("<p>This candidate has not been evaluated yet.</p>");
  QStringList parts;
  for (auto e = evaluations.rbegin(); e != evaluations.rend(); ++e) parts << evidence_html(*e);
  return parts.join(QStringLiteral("<hr>"));
}

QString plan_html(const json& candidate) {
  const json& plan = member(candidate, "plan");
  QString out = heading(QStringLiteral("Steps")) + QStringLiteral("<table>") +
                table_row({QString(), QStringLiteral("Kind"), QStringLiteral("Name"), QStringLiteral("Buffers"), QStringLiteral("Launch")}, true);
  const json& buffers = array(plan, "buffers");
  int at = 0;
  for (const json& step : array(plan, "steps")) {
    QStringList names;
    for (const json& b : array(step, "buffers"))
      names << (b.is_number_unsigned() && b.get<std::size_t>() < buffers.size() ? text(buffers[b.get<std::size_t>()], "name") : QString::fromStdString(b.dump()));
    out += table_row({QString::number(++at), text(step, "kind"), text(step, "name"), names.join(QStringLiteral(", ")), launch_text(step)});
  }
  out += QStringLiteral("</table>") + heading(QStringLiteral("Buffers")) + QStringLiteral("<table>") +
         table_row({QStringLiteral("Name"), QStringLiteral("Role"), QStringLiteral("Dtype"), QStringLiteral("Sizes"), QStringLiteral("Strides")}, true);
  for (const json& b : buffers)
    out += table_row({text(b, "name"), text(b, "role"), text(b, "dtype"), QStringLiteral("[%1]").arg(text(b, "sizes")), QStringLiteral("[%1]").arg(text(b, "strides"))});
  out += QStringLiteral("</table>");
  if (const auto traffic = number(candidate, "traffic_bytes")) out += QStringLiteral("<p>Memory traffic of one call: %1</p>").arg(bytes_text(traffic));
  if (const QString workspace = text(plan, "workspace"); !workspace.isEmpty()) out += QStringLiteral("<p>Workspace: %1</p>").arg(workspace.toHtmlEscaped());
  return out;
}

QString recipe_html(const json& candidate) {
  QString out = QStringLiteral("<table>") + table_row({QStringLiteral("Decision"), QStringLiteral("Value")}, true);
  const json& recipe = member(candidate, "recipe");
  for (const auto& [key, value] : recipe.items()) out += table_row({QString::fromStdString(key), text(recipe, key.c_str())});
  out += QStringLiteral("</table>");
  if (recipe.empty()) out = QStringLiteral("<p>An edited candidate has no recipe: its source was written by hand.</p>");
  const json& facts = member(candidate, "facts");
  if (!facts.empty()) out += heading(QStringLiteral("Facts")) + QStringLiteral("<table>");
  for (const auto& [key, value] : facts.items()) out += table_row({QString::fromStdString(key), text(facts, key.c_str())});
  if (!facts.empty()) out += QStringLiteral("</table>");
  out += heading(QStringLiteral("Made by"));
  for (const json& edge : array(candidate, "parents"))
    out += QStringLiteral("<p>%1 → %2: %3</p>").arg(text(edge, "parent"), text(edge, "child"), text(edge, "description").toHtmlEscaped());
  if (array(candidate, "parents").empty()) out += QStringLiteral("<p>The first candidate of its task.</p>");
  return out;
}

QList<int> lines_in_compiler_output(const json& candidate) {
  static const QRegularExpression place(QStringLiteral("[:(](\\d+)[:)][^\\n]*(?:error|warning)"));
  QList<int> lines;
  for (const json& evaluation : array(candidate, "evaluations")) {
    if (text(evaluation, "verdict") != QLatin1String("build_error")) continue;
    for (auto match = place.globalMatch(text(member(evaluation, "evidence"), "detail")); match.hasNext();)
      if (const int line = match.next().captured(1).toInt(); line > 0 && !lines.contains(line)) lines << line;
  }
  return lines;
}

const json* best_measurement(const json& candidate) {
  const json* found = nullptr;
  for (const json& evaluation : array(candidate, "evaluations"))
    if (const json& measurement = member(evaluation, "measurement"); !measurement.empty()) found = &measurement;
  return found;
}

QString candidate_status(const json& candidate) {
  const json& evaluations = array(candidate, "evaluations");
  return evaluations.empty() ? QString() : status_of(text(evaluations.back(), "verdict"), text(evaluations.back(), "outcome"));
}

}  // namespace kw::ui
