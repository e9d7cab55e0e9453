#pragma once
// A candidate's record as text and HTML: evidence, plan, recipe. Pure; used by several docks and the report.

#include <QList>
#include <QString>

#include "ui/models/records.h"

namespace kw::ui {

QString evidence_html(const json& evaluation);            // one evaluation: verdict, what was seen, worst elements, errors, compiler output
QString all_evidence_html(const json& candidate);         // its evaluations, newest first
QString plan_html(const json& candidate);
QString recipe_html(const json& candidate);
QList<int> lines_in_compiler_output(const json& candidate);   // of the source, from 1

const json* best_measurement(const json& candidate);      // of the newest evaluation that has one, measured afresh if possible; null: none
QString candidate_status(const json& candidate);          // verdict or outcome of the newest evaluation

}  // namespace kw::ui
