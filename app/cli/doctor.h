#pragma once
// `kernelwright doctor`: what is there, what is missing and how to get it. Needs neither torch nor a worker to answer.

namespace kw::cli {

int doctor(bool json);   // exit status: 0 when `optimize --target cpu` can run on this machine

}  // namespace kw::cli
