#include <dtl/dtl.hpp>
#include <sstream>

#include "core/engine/report/difference.h"
#include "core/engine/report/pages.h"

namespace kw::report {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

std::string unified_difference(const std::string& before, const std::string& after, const std::string& from, const std::string& to) {
  if (before == after) return "";
  dtl::Diff<std::string> diff(lines_of(before), lines_of(after));
  diff.onHuge();
  diff.compose();
  diff.composeUnifiedHunks();
  std::ostringstream out;
  out << "--- " << from << "\n+++ " << to << "\n";
  diff.printUnifiedFormat(out);
  return out.str();
}

base::Result<std::string> difference_page(const store::Session& session, const std::string& from, const std::string& to) {
  auto a = session.candidate(from), b = session.candidate(to);
  if (!a) return a.error();
  if (!b) return b.error();
  std::string out;
  if (a->task != b->task) {
    out += "These are candidates of different tasks (" + a->task + ", " + b->task + ").\n\n";
  } else {
    for (const std::string& sentence : explained(session, *a, *b)) out += sentence + "\n";
    if (!out.empty()) out += "\n";
  }
  const auto recipe_lines = [](std::string recipe) {
    for (char& c : recipe)
      if (c == ' ') c = '\n';
    return recipe + "\n";
  };
  out += unified_difference(recipe_lines(a->recipe), recipe_lines(b->recipe), from + "/recipe", to + "/recipe");
  out += unified_difference(a->plan.dump(2), b->plan.dump(2), from + "/plan.json", to + "/plan.json");
  out += unified_difference(a->source, b->source, from + "/kernel.cpp", to + "/kernel.cpp");
  return out.empty() ? std::string("No difference.\n") : out;
}

}  // namespace kw::report
