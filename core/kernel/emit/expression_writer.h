#pragma once
// Writes one expression of a nest as C++ text. Subexpressions that occur more than once in a statement become named
// temporaries; reads that only a select keeps inside their buffer are written so that they happen only where it holds.

#include <map>
#include <string>
#include <vector>

#include "core/kernel/emit/names.h"
#include "core/kernel/emit/prelude.h"
#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {

// Text of a value. `lanes` is 1 where all lanes are the same, whatever the expression formally has.
struct Written {
  std::string text;
  int lanes = 1;
  bool atomic = true;                        // needs no parentheses beside an operator
};

std::string index_type(const LoopNest& nest, Dialect dialect);   // of loop variables: 32 bits on a GPU wherever they suffice

class ExpressionWriter {
 public:
  ExpressionWriter(const LoopNest& nest, Names& names, const Scope& scope, Dialect dialect)
      : nest_(nest), names_(names), scope_(scope), dialect_(dialect), index_type_(index_type(nest, dialect)) {}

  // The value converted to `type` with `lanes` lanes. Temporaries it needs are appended to `before`, one declaration each.
  std::string value(const Expr& e, DType type, int lanes, std::vector<std::string>& before);
  Written written(const Expr& e, std::vector<std::string>& before);
  Written converted(const Written& w, DType from, DType to) const;
  std::string splatted(const Written& w, DType type, int lanes) const;

  std::string index(const Index& map) const;             // as an operand of +
  std::string index_bare(const Index& map) const;
  // "_each" where a GPU's wide access would not be aligned, or there is no memory to access: part of a function's name.
  std::string one_by_one(int buffer, const Index& map) const;

 private:
  // What surrounds an expression: branches of selects. `mask` names the lanes that are wanted; empty: all.
  struct Guard {
    bool inside = false;
    std::string mask;
  };
  int intern(const Expr& e);
  void count_uses(const Expr& e);
  bool closed(const Expression& e) const;
  bool always_inside(const Expression& read) const;

  Written write(const Expr& e, const Guard& guard);
  Written node(const Expression& e, const Guard& guard);
  Written constant(const Expression& e) const;
  Written index_value(const Expression& e) const;
  Written read(const Expression& e, const Guard& guard) const;
  Written vector_read(const Expression& e, const Guard& guard) const;
  Written bounds(const Expression& e) const;
  Written select(const Expression& e, const Guard& guard);
  Written unary(const Expression& e, const Written& a) const;
  Written binary(const Expression& e, Written a, Written b) const;
  Written boolean(Op op, const Written& a, const Written& b) const;

  const LoopNest& nest_;
  Names& names_;
  const Scope& scope_;
  Dialect dialect_;
  std::string index_type_;                   // of loop variables and offsets
  std::vector<std::string>* before_ = nullptr;
  std::map<const Expression*, int> ids_;     // of one statement: equal expressions have one id
  std::map<std::string, int> keys_;
  std::map<int, int> uses_;
  std::map<int, Written> temporaries_;
};

std::string vector_type(DType type, int lanes);          // "f32x8", "f32"; boolean lanes are 32-bit masks: "i32x8", "bool"
std::string storage_type(DType type);                    // element type of a buffer's pointer

}  // namespace kw::kernel
