#pragma once
// The rewrite table: changes of a program that hold for all inputs under the condition that each row states and checks.
// Applying a row is a decision of the recipe, rewrite.<definition>=<row>.

#include "core/kernel/recipe/decisions.h"

namespace kw::kernel::lowering {

struct RewriteRow {
  const char* word;                    // value of the decision
  const char* condition;               // why it holds for all inputs
  bool (*applies)(const Program& program, int definition, const Limits& limits);
  bool (*usual)(const Program& program, int definition, const Limits& limits);
  Program (*apply)(Program program, int definition, const Limits& limits);
};
const std::vector<RewriteRow>& rewrite_table();

Program rewrite(Program program, Decisions& decisions, const Limits& limits);

}  // namespace kw::kernel::lowering
