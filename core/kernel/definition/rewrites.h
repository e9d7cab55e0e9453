#pragma once
// Rewrites of a task's own definitions, each with the condition under which it holds for all inputs. Choosing one is a
// decision of the recipe; a site has a stable name ("online_softmax.softmax_2") so that a recipe can name it.

#include <string>
#include <vector>

#include "core/kernel/definition/definition.h"

namespace kw::kernel {

struct RewriteSite {
  std::string rewrite;                       // name of the row
  std::string name;                          // "<rewrite>.<node>"
  std::vector<int> definitions;              // positions in Program::definitions that take part
};

struct Rewrite {
  std::string name;
  std::string condition;                     // when it holds, for people
  std::vector<RewriteSite> (*sites)(const Program&);
  Program (*apply)(const Program&, const RewriteSite&);
};

const std::vector<Rewrite>& rewrites();

// Every site of every rewrite, in a stable order. A rewrite may create or remove sites of another, not rename them.
std::vector<RewriteSite> rewrite_sites(const Program& program);
// The program itself where the site is not one of its sites.
Program apply_rewrite(const Program& program, const RewriteSite& site);

}  // namespace kw::kernel
