#pragma once
// One evaluation as a client sees it.

#include "core/engine/store/records.h"

namespace kw::server {

nlohmann::json evaluation_json(const store::EvaluationRecord& record);

}  // namespace kw::server
