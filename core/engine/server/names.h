#pragma once
// Who and where the engine is.

#include <string>

#include "core/engine/store/records.h"

namespace kw::server {

std::string host_name();
std::string user_name();
std::string home_folder();
bool foreign(const store::Origin& origin);   // made by another user, on another machine, or by nobody knows whom

}  // namespace kw::server
