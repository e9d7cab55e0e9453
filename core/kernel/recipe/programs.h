#pragma once
// Small questions about, and edits of, a Program while a recipe is applied to it. Passes take a Program by value and give
// the changed one back; definitions stay in dependency order.

#include <vector>

#include "core/kernel/definition/definition.h"

namespace kw::kernel::lowering {

std::int64_t product(const std::vector<std::int64_t>& sizes);
std::int64_t points(const Definition& d);                    // domain times reduction axes
std::vector<std::int64_t> extents(const Definition& d);      // of all its variables: domain, then reduction axes
bool is_reduction(const Definition& d);

// Appends a contiguous tensor without a definition; its position.
int add_tensor(Program& program, const std::string& name, DType storage, const std::vector<std::int64_t>& sizes);
// Inserts before definition `position` and renumbers.
void insert(Program& program, std::size_t position, Definition definition);
void renumber(Program& program);                             // Tensor::definition from Program::definitions
// Drops definitions that no output needs, in place.
void drop_dead(Program& program);
// Program outputs that are inputs get a copying definition.
void copy_passed_inputs(Program& program);

// How many evaluations of `source` the reads in `d` ask for: equal reads count once, axes a read ignores not at all.
std::int64_t evaluations(const Definition& d, int source);
// Work per point of a body, what does not vary along every axis weighted by how rarely it changes.
double work_per_point(const Definition& d);

}  // namespace kw::kernel::lowering
