#pragma once
// Every choice that lowering makes goes through here: a pass names the decision, what it would do by itself, and the legal
// values; the recipe overrules. So the list of mutations is what the passes asked for, and a recipe cannot hold a
// decision that nothing reads. Lives for one lowering, on one thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/recipe/recipe.h"

namespace kw::kernel::lowering {

struct Choice {
  std::string key;                     // "vector.k0"
  std::string value;                   // what was done
  std::string usual;                   // what is done without a word in the recipe
  std::vector<std::string> options;    // legal values here, `value` among them
};

class Decisions {
 public:
  explicit Decisions(const Recipe& recipe) : recipe_(recipe) {}

  // What the recipe says, before the legal values are known; the pass calls settle() later.
  std::optional<std::string> asked(const std::string& key) const;
  // A later pass settles the key, but this is what would be done without a word in the recipe.
  void usually(const std::string& key, const std::string& value) { usual_[key] = value; }
  // Nothing has been asked yet.
  void forget();
  // Records the decision and answers its value: the recipe's where it is one of the options, else `usual`.
  std::string settle(const std::string& key, const std::string& usual, std::vector<std::string> options);
  std::int64_t settle(const std::string& key, std::int64_t usual, const std::vector<std::int64_t>& options);

  const std::vector<Choice>& choices() const { return choices_; }
  // unsupported: a value that is not legal here, or a key that no pass asked for.
  base::Status status() const;

 private:
  const Recipe& recipe_;
  std::vector<Choice> choices_;
  std::map<std::string, std::string> usual_;
  std::string refused_;                // the first illegal value, as a sentence
};

}  // namespace kw::kernel::lowering
