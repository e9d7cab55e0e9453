#include "core/worker/oracle/chunks.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/worker/runtime/pool.h"

namespace kw::oracle {

void in_chunks(std::size_t n, const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  const std::size_t count = chunks_of(n);
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t chunk = next++; chunk < count; chunk = next++) work(chunk, chunk * chunk_elements, std::min(n, (chunk + 1) * chunk_elements));
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min(count, runtime::cores().size()); ++i)
    helpers.emplace_back([&] {
      runtime::pin_to(runtime::cores());   // the calling thread's one core would be inherited
      take();
    });
  take();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace kw::oracle
