#pragma once
// Loops over all elements of a large output, shared between the cores. The chunks depend on the number of elements alone, and what each
// yields is combined in their order: the same values give the same bits on any machine.

#include <cstddef>
#include <functional>
#include <vector>

namespace kw::oracle {

// Calls work(chunk, begin, end) for [0, n) in chunks of 1 Mi elements, on up to as many threads as the process has cores; in this thread
// where there is one chunk.
inline constexpr std::size_t chunk_elements = std::size_t{1} << 20;
inline std::size_t chunks_of(std::size_t n) { return (n + chunk_elements - 1) / chunk_elements; }
void in_chunks(std::size_t n, const std::function<void(std::size_t chunk, std::size_t begin, std::size_t end)>& work);

// The same, each chunk yielding a value.
template <typename Value, typename Work>
std::vector<Value> each_chunk(std::size_t n, const Work& work) {
  std::vector<Value> values(chunks_of(n));
  in_chunks(n, [&](std::size_t chunk, std::size_t begin, std::size_t end) { values[chunk] = work(begin, end); });
  return values;
}

}  // namespace kw::oracle
