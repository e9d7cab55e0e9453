#pragma once
// Keeps a model's inputs, parameters and buffers as they are while a graph that writes some of them runs. Just before an
// operator writes to the storage of such a leaf, the storage gets a copy of its memory; at the end it gets the original
// back. So only what is really written is copied, weights may be mapped read-only, and aliases see the writes as in Python.
// Included only by .cpp files, which get torch from the precompiled header. Worker thread only.

#include <vector>

namespace kw::aten {

class LeafGuard {
 public:
  void protect(const at::Tensor& leaf);
  // Call before an operator writes to `tensor`.
  void before_write(const at::Tensor& tensor);
  // An output that shares memory with a written leaf, copied out of it; any other as it is.
  at::Tensor detached(const at::Tensor& output) const;
  // Gives every leaf its memory back and forgets the leaves protected since `mark`.
  void restore();

  std::size_t mark() const { return leaves_.size(); }
  void forget_since(std::size_t mark) { leaves_.resize(mark); }

 private:
  struct Saved {
    c10::Storage storage;
    c10::DataPtr original;
  };
  bool written(const c10::StorageImpl* storage) const;
  std::vector<const c10::StorageImpl*> leaves_;
  std::vector<Saved> saved_;
};

}  // namespace kw::aten
