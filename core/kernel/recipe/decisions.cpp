#include "core/kernel/recipe/decisions.h"

#include <algorithm>

namespace kw::kernel::lowering {

std::optional<std::string> Decisions::asked(const std::string& key) const {
  const auto found = recipe_.decisions.find(key);
  if (found == recipe_.decisions.end()) return std::nullopt;
  return found->second;
}

void Decisions::forget() {
  choices_.clear();
  usual_.clear();
  refused_.clear();
}

std::string Decisions::settle(const std::string& key, const std::string& usual, std::vector<std::string> options) {
  Choice choice{key, asked(key).value_or(usual), usual, std::move(options)};
  if (const auto earlier = usual_.find(key); earlier != usual_.end()) choice.usual = earlier->second;
  if (std::find(choice.options.begin(), choice.options.end(), choice.value) == choice.options.end()) {
    if (refused_.empty()) {
      refused_ = key + "=" + choice.value + " is not legal here; possible:";
      for (const std::string& option : choice.options) refused_ += " " + option;
    }
    choice.value = usual;
  }
  choices_.push_back(choice);
  return choice.value;
}

std::int64_t Decisions::settle(const std::string& key, std::int64_t usual, const std::vector<std::int64_t>& options) {
  std::vector<std::string> words;
  for (const std::int64_t option : options) words.push_back(std::to_string(option));
  return std::stoll(settle(key, std::to_string(usual), std::move(words)));
}

base::Status Decisions::status() const {
  if (!refused_.empty()) return base::Error{base::ErrorCode::unsupported, refused_, "recipe"};
  for (const auto& [key, value] : recipe_.decisions) {
    const auto asked = [&key = key](const Choice& choice) { return choice.key == key; };
    if (std::none_of(choices_.begin(), choices_.end(), asked))
      return base::Error{base::ErrorCode::unsupported, "the decision " + key + "=" + value + " does not apply to this program", "recipe"};
  }
  return base::done();
}

}  // namespace kw::kernel::lowering
