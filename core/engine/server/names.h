#pragma once
// Who and where the engine is.

#include <string>

namespace kw::server {

std::string host_name();
std::string user_name();
std::string home_folder();

}  // namespace kw::server
