#pragma once
// The one table of methods: what engine_api.md lists, each row a function. Functions stand in files by subject (*_methods.cpp).

#include <string>
#include <vector>

#include "core/protocol/channel.h"

namespace kw::server {

class Desk;
using protocol::Answer;
using protocol::json;

// Called with the request's params; what json throws is answered as bad input.
using Handler = Answer (*)(Desk& desk, const json& params);

// quick: one after the other, in milliseconds; may use Desk::sessions. slow: on a thread of their own, beside the quick ones.
enum class Lane : std::uint8_t { quick, slow };

struct Method {
  const char* name;
  Handler handler;
  Lane lane;
};
const std::vector<Method>& methods();

Answer initialize(Desk&, const json&);
Answer files_list(Desk&, const json&);
Answer files_read(Desk&, const json&);
Answer files_write(Desk&, const json&);
Answer session_open(Desk&, const json&);
Answer session_close(Desk&, const json&);
Answer session_summary(Desk&, const json&);
Answer session_operators(Desk&, const json&);
Answer session_tree(Desk&, const json&);
Answer session_history(Desk&, const json&);
Answer session_failures(Desk&, const json&);
Answer session_timelines(Desk&, const json&);
Answer session_timeline(Desk&, const json&);
Answer candidate_get(Desk&, const json&);
Answer candidate_diff(Desk&, const json&);
Answer candidate_assembly(Desk&, const json&);
Answer candidate_export(Desk&, const json&);
Answer candidate_verify(Desk&, const json&);
Answer candidate_edit(Desk&, const json&);
Answer review_set(Desk&, const json&);
Answer review_list(Desk&, const json&);
Answer trust_check(Desk&, const json&);
Answer trust_grant(Desk&, const json&);
Answer model_profile(Desk&, const json&);
Answer run_start(Desk&, const json&);
Answer run_pause(Desk&, const json&);
Answer run_resume(Desk&, const json&);
Answer run_stop(Desk&, const json&);
Answer run_steer(Desk&, const json&);
Answer jobs_list(Desk&, const json&);
Answer jobs_cancel(Desk&, const json&);

}  // namespace kw::server
