#include "core/kernel/recipe/recipe.h"

#include <sstream>

namespace kw::kernel {

std::string text(const Recipe& recipe) {
  std::string out = std::string("generator=") + generator_version;
  for (const auto& [key, value] : recipe.decisions) out += " " + key + "=" + value;
  return out;
}

base::Result<Recipe> recipe_from_text(const std::string& text) {
  Recipe recipe;
  std::istringstream words(text);
  std::string word;
  if (!(words >> word) || word.rfind("generator=", 0) != 0)
    return base::bad_input("a recipe begins with generator=VERSION", text.substr(0, 80));
  if (word != std::string("generator=") + generator_version)
    return base::Error{base::ErrorCode::unsupported,
                       "the recipe is of another generator (" + word + ", this one is " + generator_version +
                           "); replay the candidate from its stored source", text.substr(0, 80)};
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      return base::bad_input("a decision is written key=value, this is not: " + word, text.substr(0, 80));
    if (!recipe.decisions.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      return base::bad_input("the decision " + word.substr(0, equals) + " stands twice", text.substr(0, 80));
  }
  return recipe;
}

}  // namespace kw::kernel
