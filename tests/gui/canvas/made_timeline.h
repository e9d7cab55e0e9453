#pragma once
// Timelines for tests and the bench: operators on a host track, nested, and the kernels that they launched, in bursts with gaps.

#include <random>

#include "ui/widgets/timeline/timeline_data.h"

namespace kw::ui {

inline TimelineData made_timeline(int events, unsigned seed = 1) {
  TimelineBuilder builder;
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<std::uint32_t> operators, kernels;
  for (const char* name : {"aten::linear", "aten::layer_norm", "aten::gelu", "aten::softmax", "aten::add", "aten::convolution", "aten::batch_norm", "aten::max_pool2d"})
    operators.push_back(builder.name(name));
  for (int k = 0; k < 40; ++k) kernels.push_back(builder.name(QString("kernel_%1<float, %2>").arg(k).arg(64 << k % 4)));
  const int host = builder.track("operators", "python"), inner = builder.track("cuda runtime", "python");
  const int streams[] = {builder.track("stream 7", "NVIDIA H200"), builder.track("stream 13", "NVIDIA H200")};
  double now = 0, device[] = {0, 0};
  for (int i = 0; i + 4 <= events; i += 4) {
    now += below(50) == 0 ? 400 + below(3000) : 1 + below(6);
    const double length = 4 + below(60);
    const std::uint32_t name = operators[static_cast<std::size_t>(below(8))];
    const auto from = builder.add(host, {now, length, name, i / 4, 1, 0});
    builder.add(host, {now + 1, length * 0.6, operators[static_cast<std::size_t>(below(8))], i / 4, 1, 0});
    builder.add(inner, {now + 2, 1.5, builder.name("cudaLaunchKernel"), i / 4, 1, 0});
    const int s = below(4) == 0 ? 1 : 0;
    device[s] = std::max(device[s], now + 5);
    const double busy = 0.5 + below(400) / 10.0;
    const auto to = builder.add(streams[s], {device[s], busy, kernels[static_cast<std::size_t>(below(40))], i / 4, 1, builder.detail(QString("Grid: %1\nBlock: 256").arg(1 << below(12)))});
    device[s] += busy + 0.3;
    builder.add_arrow(from, to);
    now += length;
  }
  return builder.finish();
}

}  // namespace kw::ui
