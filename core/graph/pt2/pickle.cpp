// A restricted unpickler: protocol 2 opcodes that torch.save writes, seven callables by name, nothing imported or called.
#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "core/graph/pt2/tensors.h"

namespace kw::graph::pt2 {

namespace {

struct Item;
using ItemPtr = Item*;   // owned by the Unpickler: a hostile pickle nests deeply and refers to itself
struct Global { std::string name; };
struct Sequence { std::vector<ItemPtr> items; };               // tuple or list
struct Dictionary { std::vector<std::pair<ItemPtr, ItemPtr>> items; };
struct Storage { DType dtype; Bytes bytes; };
struct Mark {};
struct Item {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Global, Sequence, Dictionary, Storage, StoredTensor, Mark> value;
};

constexpr std::size_t most_items = 1 << 20;   // opcodes read, objects made, nodes visited
constexpr std::size_t most_dimensions = 64;
constexpr int deepest = 100;

struct Refused { std::string why; };   // thrown inside this file only

template <typename T>
const T& as(const ItemPtr& p, const char* what) {
  if (!p) throw Refused{std::string("expected ") + what};
  if (auto* v = std::get_if<T>(&p->value)) return *v;
  throw Refused{std::string("expected ") + what};
}

std::vector<std::int64_t> integers(const ItemPtr& p) {
  std::vector<std::int64_t> out;
  const Sequence& sequence = as<Sequence>(p, "a tuple of integers");
  if (sequence.items.size() > most_dimensions) throw Refused{"a tensor of more than 64 dimensions"};
  for (const ItemPtr& i : sequence.items) out.push_back(as<std::int64_t>(i, "an integer"));
  return out;
}

StoredTensor rebuild_tensor(const Sequence& arguments) {
  if (arguments.items.size() < 4) throw Refused{"a tensor with too few fields"};
  const Storage& storage = as<Storage>(arguments.items[0], "a storage");
  const std::int64_t offset = as<std::int64_t>(arguments.items[1], "a storage offset");
  TensorType type{storage.dtype, integers(arguments.items[2]), integers(arguments.items[3])};
  const std::optional<std::int64_t> span = checked_span(type);
  const std::int64_t width = byte_size(type.dtype), available = static_cast<std::int64_t>(storage.bytes.size()) / width;
  if (!span || offset < 0 || offset > available || *span > available - offset) throw Refused{"a tensor whose sizes and strides leave its storage"};
  return {type, storage.bytes.subspan(static_cast<std::size_t>(offset * width), static_cast<std::size_t>(*span * width))};
}

class Unpickler {
 public:
  Unpickler(const Archive& archive, Bytes code) : archive_(archive), code_(code) {}

  ItemPtr run() {
    while (true) {
      const unsigned char op = byte();
      if (op == '.') return pop();
      step(op);
      if (++steps_ > most_items) throw Refused{"too many objects"};
    }
  }

 private:
  Bytes take(std::size_t count) {
    if (count > code_.size() - at_) throw Refused{"the pickle is cut short"};
    const Bytes out = code_.subspan(at_, count);
    at_ += count;
    return out;
  }
  unsigned char byte() { return std::to_integer<unsigned char>(take(1)[0]); }
  std::uint64_t number(int width) {
    const Bytes b = take(static_cast<std::size_t>(width));
    std::uint64_t v = 0;
    for (int i = width; i-- > 0;) v = v << 8 | std::to_integer<std::uint64_t>(b[static_cast<std::size_t>(i)]);
    return v;
  }
  std::string text(std::size_t count) {
    const Bytes b = take(count);
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  std::string line() {
    std::string out;
    for (char c; (c = static_cast<char>(byte())) != '\n';) {
      out += c;
      if (out.size() > 1000) throw Refused{"a name of more than 1000 characters"};
    }
    return out;
  }

  template <typename T>
  ItemPtr item(T value) { return &arena_.emplace_back(Item{std::move(value)}); }
  void push(ItemPtr p) { stack_.push_back(p); }
  ItemPtr pop() {
    if (stack_.empty()) throw Refused{"the pickle's stack runs empty"};
    const ItemPtr p = stack_.back();
    stack_.pop_back();
    return p;
  }
  ItemPtr& top() {
    if (stack_.empty()) throw Refused{"the pickle's stack runs empty"};
    return stack_.back();
  }
  std::vector<ItemPtr> pop_mark() {
    std::vector<ItemPtr> items;
    for (ItemPtr p = pop(); !std::holds_alternative<Mark>(p->value); p = pop()) items.push_back(p);
    std::reverse(items.begin(), items.end());
    return items;
  }
  std::vector<ItemPtr> pop_count(int count) {
    std::vector<ItemPtr> items(static_cast<std::size_t>(count));
    for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
    return items;
  }
  void memoize(std::uint64_t key) { memo_[key] = top(); }
  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw Refused{"a reference to nothing"};
    push(found->second);
  }

  void step(unsigned char op) {
    switch (op) {   // pickletools' opcode names in the comments
      case 0x80: number(1); break;                                                   // PROTO
      case 0x95: number(8); break;                                                   // FRAME
      case '(': push(item(Mark{})); break;                                           // MARK
      case 'N': push(item(std::monostate{})); break;                                 // NONE
      case 0x88: push(item(true)); break;                                            // NEWTRUE
      case 0x89: push(item(false)); break;                                           // NEWFALSE
      case 'K': push(item(static_cast<std::int64_t>(number(1)))); break;             // BININT1
      case 'M': push(item(static_cast<std::int64_t>(number(2)))); break;             // BININT2
      case 'J': push(item(static_cast<std::int64_t>(static_cast<std::int32_t>(number(4))))); break;   // BININT
      case 0x8a: push(item(long_integer())); break;                                  // LONG1
      case 'G': push(item(big_endian_double())); break;                              // BINFLOAT
      case 'X': push(item(text(number(4)))); break;                                  // BINUNICODE
      case 0x8c: push(item(text(number(1)))); break;                                 // SHORT_BINUNICODE
      case 'c': { std::string module = line(); push(item(Global{module + "." + line()})); break; }   // GLOBAL
      case 0x93: { std::string n = as<std::string>(pop(), "a name"); push(item(Global{as<std::string>(pop(), "a module") + "." + n})); break; }   // STACK_GLOBAL
      case 'q': memoize(number(1)); break;                                           // BINPUT
      case 'r': memoize(number(4)); break;                                           // LONG_BINPUT
      case 0x94: memoize(memo_.size()); break;                                       // MEMOIZE
      case 'h': recall(number(1)); break;                                            // BINGET
      case 'j': recall(number(4)); break;                                            // LONG_BINGET
      case ')': case ']': push(item(Sequence{})); break;                             // EMPTY_TUPLE, EMPTY_LIST
      case '}': push(item(Dictionary{})); break;                                     // EMPTY_DICT
      case 't': push(item(Sequence{pop_mark()})); break;                             // TUPLE
      case 'l': push(item(Sequence{pop_mark()})); break;                             // LIST
      case 0x85: case 0x86: case 0x87: push(item(Sequence{pop_count(op - 0x84)})); break;   // TUPLE1 … TUPLE3
      case 'a': append({pop()}); break;                                              // APPEND
      case 'e': append(pop_mark()); break;                                           // APPENDS
      case 's': set_items(pop_count(2)); break;                                      // SETITEM
      case 'u': set_items(pop_mark()); break;                                        // SETITEMS
      case 'Q': persistent(); break;                                                 // BINPERSID
      case 'R': reduce(); break;                                                     // REDUCE
      case '0': pop(); break;                                                        // POP
      default: throw Refused{"opcode " + std::to_string(op) + " is not used by tensors and plain containers"};
    }
  }

  std::int64_t long_integer() {
    const std::uint64_t count = number(1);
    if (count > 8) throw Refused{"an integer of more than 64 bits"};
    std::uint64_t v = number(static_cast<int>(count));
    if (count > 0 && count < 8 && (v >> (8 * count - 1) & 1)) v |= ~std::uint64_t{0} << (8 * count);
    return static_cast<std::int64_t>(v);
  }
  double big_endian_double() {
    std::uint64_t v = 0;
    for (int i = 0; i < 8; ++i) v = v << 8 | byte();
    return std::bit_cast<double>(v);
  }
  void append(std::vector<ItemPtr> items) {
    ItemPtr& list = top();
    auto* sequence = std::get_if<Sequence>(&list->value);
    if (!sequence) throw Refused{"appending to something that is not a list"};
    sequence->items.insert(sequence->items.end(), items.begin(), items.end());
  }
  void set_items(std::vector<ItemPtr> items) {
    auto* dictionary = std::get_if<Dictionary>(&top()->value);
    if (!dictionary || items.size() % 2) throw Refused{"setting items of something that is not a dict"};
    for (std::size_t i = 0; i < items.size(); i += 2) dictionary->items.emplace_back(items[i], items[i + 1]);
  }

  void persistent() {
    const ItemPtr id = pop();
    const Sequence& fields = as<Sequence>(id, "a storage");
    if (fields.items.size() < 5 || as<std::string>(fields.items[0], "'storage'") != "storage") throw Refused{"a persistent id that is not a storage"};
    const std::string& type = as<Global>(fields.items[1], "a storage type").name;
    const std::optional<DType> dtype = type.starts_with("torch.") ? dtype_from_storage(std::string_view(type).substr(6)) : std::nullopt;
    if (!dtype) throw Refused{"storage type '" + type + "' is not supported"};
    base::Result<Bytes> bytes = archive_.entry("data/" + as<std::string>(fields.items[2], "a storage key"));
    if (!bytes) throw Refused{bytes.error().message};
    push(item(Storage{*dtype, *bytes}));
  }

  void reduce() {
    const ItemPtr arguments = pop(), callable = pop();
    const std::string& name = as<Global>(callable, "a callable").name;
    const Sequence& values = as<Sequence>(arguments, "arguments");
    if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor") return push(item(rebuild_tensor(values)));
    if (name == "torch._utils._rebuild_parameter" && !values.items.empty()) return push(values.items[0]);
    if (name == "collections.OrderedDict" && values.items.empty()) return push(item(Dictionary{}));
    if (name == "torch.Size" && values.items.size() == 1) return push(values.items[0]);
    throw Refused{"'" + name + "' may not be called; only tensors, numbers, strings and plain containers are read"};
  }

  const Archive& archive_;
  Bytes code_;
  std::size_t at_ = 0, steps_ = 0;
  std::deque<Item> arena_;
  std::vector<ItemPtr> stack_;
  std::map<std::uint64_t, ItemPtr> memo_;
};

void flatten(ItemPtr p, int depth, std::size_t& visits, std::vector<Leaf>& out) {
  if (depth > deepest || ++visits > most_items) throw Refused{"nested too deeply, or too many leaves"};
  if (auto* s = std::get_if<Sequence>(&p->value)) {
    for (ItemPtr i : s->items) flatten(i, depth + 1, visits, out);
  } else if (auto* d = std::get_if<Dictionary>(&p->value)) {
    for (const auto& [key, value] : d->items) flatten(value, depth + 1, visits, out);
  } else if (auto* t = std::get_if<StoredTensor>(&p->value)) {
    out.emplace_back(*t);
  } else if (auto* i = std::get_if<std::int64_t>(&p->value)) {
    out.emplace_back(*i);
  } else if (auto* f = std::get_if<double>(&p->value)) {
    out.emplace_back(*f);
  } else if (auto* b = std::get_if<bool>(&p->value)) {
    out.emplace_back(*b);
  } else if (auto* text = std::get_if<std::string>(&p->value)) {
    out.emplace_back(*text);
  } else if (std::holds_alternative<std::monostate>(p->value)) {
    out.emplace_back(std::monostate{});
  } else {
    throw Refused{"a leaf that is neither a tensor nor a plain value"};
  }
}

}  // namespace

base::Result<Leaves> unpickle(std::shared_ptr<const Archive> archive) {
  base::Result<Bytes> code = archive->entry("data.pkl");
  if (!code) return code.error();
  if (base::Result<std::string_view> order = archive->text("byteorder"); order && *order != "little")
    return base::bad_input("written on a big-endian machine; save it again on a little-endian one", archive->where());
  Leaves leaves;
  try {
    Unpickler unpickler(*archive, *code);
    std::size_t visits = 0;
    flatten(unpickler.run(), 0, visits, leaves.leaves);
  } catch (const Refused& r) {
    return base::bad_input("the saved tensors were refused: " + r.why, archive->where());
  }
  leaves.keep_alive = archive;
  return leaves;
}

}  // namespace kw::graph::pt2
