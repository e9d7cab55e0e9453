#include "ui/views/search_tree/tree_feed.h"

#include <algorithm>

#include "ui/bridge/engine.h"
#include "ui/bridge/selection.h"
#include "ui/models/session.h"

namespace kw::ui {
namespace {

constexpr int busiest = 10;            // a request's time is followed by this many times it of rest: 10 % of a core

}  // namespace

TreeFeed::TreeFeed(const DockContext& context, QObject* parent) : QObject(parent), context_(context) {
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, [this] {
    if (dirty_) ask();
  });
  connect(context.selection, &Selection::session_changed, this, &TreeFeed::start_anew);
  connect(context.engine, &Engine::notified, this, [this](const QString& method, const json& params) {
    if (method != "session/changed" || session_.isEmpty() || !params.is_object() || params.value("session", json()) != session_.toStdString()) return;
    dirty_ = true;
    if (!busy_ && !later_.isActive()) ask();
  });
  connect(context.engine, &Engine::state_changed, this, [this] { busy_ = false; });   // answers of an engine that is gone do not come
  if (context.session != nullptr) connect(context.session, &Session::opened, this, &TreeFeed::ask);   // again, by another engine
  start_anew();
}

void TreeFeed::start_anew() {
  session_ = context_.selection->session();
  tree_.clear();
  version_ = nullptr;
  busy_ = dirty_ = complete_ = false;
  later_.stop();
  Q_EMIT started_anew();
  if (!session_.isEmpty()) ask();
}

void TreeFeed::ask() {
  if (busy_ || session_.isEmpty()) return;
  busy_ = true;
  dirty_ = false;
  asked_.start();
  const QString session = session_;
  context_.engine->call(
      QStringLiteral("session/tree"), {{"session", session.toStdString()}, {"since", version_}}, this,
      [this, session](const json& answer) {
        if (session == session_) take(answer);
      },
      [this, session](const EngineError& error) {
        if (session != session_) return;
        busy_ = false;
        Q_EMIT failed(error.message);
      });
}

void TreeFeed::take(const json& answer) {
  busy_ = false;
  if (!answer.is_object()) return Q_EMIT failed(tr("The engine's answer to session/tree is not an object."));
  version_ = answer.value("version", json());
  const auto more = answer.find("more");
  const bool goes_on = more != answer.end() && more->is_boolean() && more->get<bool>();
  complete_ = !goes_on;
  const TreeData::Change change = tree_.apply(answer);
  Q_EMIT changed(change);
  if (goes_on) return ask();
  later_.start(std::clamp(static_cast<int>(asked_.elapsed()) * busiest, 100, 5000));
}

}  // namespace kw::ui
