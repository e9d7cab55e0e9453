#include "core/worker/aten/leaf_guard.h"

#include <algorithm>
#include <cstring>

#include <c10/core/CPUAllocator.h>

#include "core/worker/aten/convert.h"

namespace kw::aten {

void LeafGuard::protect(const at::Tensor& leaf) {
  if (leaf.defined() && leaf.has_storage()) leaves_.push_back(leaf.storage().unsafeGetStorageImpl());
}

bool LeafGuard::written(const c10::StorageImpl* storage) const {
  return std::any_of(saved_.begin(), saved_.end(), [&](const Saved& saved) { return saved.storage.unsafeGetStorageImpl() == storage; });
}

void LeafGuard::before_write(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  c10::Storage storage = tensor.storage();
  const c10::StorageImpl* impl = storage.unsafeGetStorageImpl();
  if (std::find(leaves_.begin(), leaves_.end(), impl) == leaves_.end() || written(impl)) return;
  c10::Allocator* allocator = storage.device_type() == c10::kCPU ? c10::GetCPUAllocator() : storage.allocator();
  c10::DataPtr copy = storage.nbytes() > 0 ? allocator->clone(storage.data(), storage.nbytes()) : allocator->allocate(0);
  c10::DataPtr original = storage.set_data_ptr(std::move(copy));
  saved_.push_back({std::move(storage), std::move(original)});
}

at::Tensor LeafGuard::detached(const at::Tensor& output) const {
  const bool shares = output.defined() && output.has_storage() && written(output.storage().unsafeGetStorageImpl());
  return shares ? clone_exact(output) : output;
}

void LeafGuard::restore() {
  for (Saved& saved : saved_) saved.storage.set_data_ptr(std::move(saved.original));
  saved_.clear();
}

}  // namespace kw::aten
