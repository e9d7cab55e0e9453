#pragma once
// A mutex that clang's thread-safety analysis understands: members say KW_GUARDED_BY(mutex_).

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KW_ATTRIBUTE(x) __attribute__((x))
#else
#define KW_ATTRIBUTE(x)
#endif
#define KW_GUARDED_BY(m) KW_ATTRIBUTE(guarded_by(m))
#define KW_REQUIRES(m) KW_ATTRIBUTE(requires_capability(m))

namespace kw::base {

class KW_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() KW_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() KW_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class KW_ATTRIBUTE(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) KW_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() KW_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

using Condition = std::condition_variable_any;   // wait(mutex) on a held Mutex

}  // namespace kw::base
