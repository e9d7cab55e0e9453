// The engine client against good and misbehaving engines.

#include <QSignalSpy>

#include "tests/gui/waiting.h"
#include "ui/bridge/engine.h"
#include "ui/bridge/frames.h"
#include "ui/models/records.h"

namespace kw::ui {

class BridgeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void frames_are_cut_at_any_byte();
  void broken_frames_are_named_data();
  void broken_frames_are_named();
  void shakes_hands_and_answers();
  void calls_made_while_it_starts_are_sent_later();
  void large_answers_keep_their_order();
  void nobody_is_called_after_its_owner_is_gone();
  void bad_engines_die_with_a_reason_data();
  void bad_engines_die_with_a_reason();
  void a_dead_engine_can_be_restarted();
  void open_calls_fail_when_the_engine_dies();
  void an_error_without_a_handler_is_complained_of();
};

void BridgeTest::frames_are_cut_at_any_byte() {
  const QByteArray stream = framed("{\"a\":1}") + framed("") + framed(std::string(5000, 'x'));
  for (const qsizetype piece : {1, 2, 7, 4096, 100000}) {
    Frames frames;
    QList<QByteArray> bodies;
    for (qsizetype at = 0; at < stream.size(); at += piece) {
      frames.feed(stream.mid(at, piece));
      while (auto body = frames.next()) bodies << *body;
    }
    QCOMPARE(bodies, (QList<QByteArray>{"{\"a\":1}", "", QByteArray(5000, 'x')}));
    QVERIFY(frames.broken().isEmpty());
  }
}

void BridgeTest::broken_frames_are_named_data() {
  QTest::addColumn<QByteArray>("stream");
  QTest::newRow("words") << QByteArray("hello\n");
  QTest::newRow("no length") << QByteArray("Content-Type: x\r\n\r\n{}");
  QTest::newRow("not a number") << QByteArray("Content-Length: many\r\n\r\n{}");
  QTest::newRow("negative") << QByteArray("Content-Length: -5\r\n\r\n{}");
  QTest::newRow("too large") << QByteArray("Content-Length: 99999999999\r\n\r\n{}");
  QTest::newRow("endless header") << QByteArray(5000, 'x');
}

void BridgeTest::broken_frames_are_named() {
  QFETCH(QByteArray, stream);
  Frames frames;
  frames.feed(stream);
  QVERIFY(!frames.next());
  QVERIFY(!frames.broken().isEmpty());
}

void BridgeTest::shakes_hands_and_answers() {
  Engine engine;
  QSignalSpy states(&engine, &Engine::state_changed);
  engine.start(fake_engine("good"));
  QTRY_COMPARE(engine.state(), Engine::State::ready);
  QCOMPARE(states.size(), 2);
  QCOMPARE(text(engine.hello(), "host"), QStringLiteral("here"));
  QString answer;
  engine.call(QStringLiteral("files/list"), {{"path", ""}}, this, [&](const json& result) { answer = text(result, "path"); });
  QTRY_COMPARE(answer, QStringLiteral("/home/ada"));
}

void BridgeTest::calls_made_while_it_starts_are_sent_later() {
  Engine engine;
  engine.start(fake_engine("good"));
  QCOMPARE(engine.state(), Engine::State::starting);
  bool answered = false;
  engine.call(QStringLiteral("files/list"), json::object(), this, [&](const json&) { answered = true; });
  QTRY_VERIFY(answered);
}

void BridgeTest::large_answers_keep_their_order() {
  Engine engine;
  engine.start(fake_engine("huge"));
  QStringList order;
  for (const char* method : {"session/failures", "files/list", "session/failures", "jobs/list"})
    engine.call(QLatin1String(method), json::object(), this, [&order, method](const json&) { order << QLatin1String(method); });
  QTRY_COMPARE(order, (QStringList{"session/failures", "files/list", "session/failures", "jobs/list"}));
}

void BridgeTest::nobody_is_called_after_its_owner_is_gone() {
  Engine engine;
  engine.start(fake_engine("good"));
  QTRY_COMPARE(engine.state(), Engine::State::ready);
  bool called = false, other = false;
  auto* owner = new QObject;
  engine.call(QStringLiteral("files/list"), json::object(), owner, [&](const json&) { called = true; }, [&](const EngineError&) { called = true; });
  delete owner;
  engine.call(QStringLiteral("files/list"), json::object(), this, [&](const json&) { other = true; });
  QTRY_VERIFY(other);
  QVERIFY(!called);
}

void BridgeTest::bad_engines_die_with_a_reason_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<QString>("reason");
  QTest::newRow("nonsense") << fake_engine("nonsense") << "not the engine's protocol";
  QTest::newRow("broken json") << fake_engine("broken_json") << "not a JSON-RPC message";
  QTest::newRow("dies at once") << fake_engine("dies_at_once") << "ended with status 3.\n\nno such container";
  QTest::newRow("wrong protocol") << fake_engine("wrong_protocol") << "speaks protocol 2, this window speaks 1";
  QTest::newRow("no such program") << QStringList{"/no/such/program"} << "could not be started";
}

void BridgeTest::bad_engines_die_with_a_reason() {
  QFETCH(QStringList, command);
  QFETCH(QString, reason);
  Engine engine;
  engine.start(command);
  QTRY_COMPARE(engine.state(), Engine::State::dead);
  QVERIFY2(engine.last_words().contains(reason), qPrintable(engine.last_words()));
}

void BridgeTest::a_dead_engine_can_be_restarted() {
  Engine engine;
  engine.start(fake_engine("dies_at_open"));
  QTRY_COMPARE(engine.state(), Engine::State::ready);
  engine.call(QStringLiteral("session/open"), json::object(), this, {}, [](const EngineError&) {});
  QTRY_COMPARE(engine.state(), Engine::State::dead);
  QVERIFY2(engine.last_words().contains(QStringLiteral("the disk is on fire")), qPrintable(engine.last_words()));
  engine.restart();
  QTRY_COMPARE(engine.state(), Engine::State::ready);
}

void BridgeTest::open_calls_fail_when_the_engine_dies() {
  Engine engine;
  engine.start(fake_engine("dies_at_open"));
  QString why, later;
  engine.call(QStringLiteral("session/open"), json::object(), this, {}, [&](const EngineError& error) { why = error.message; });
  QTRY_VERIFY(!why.isEmpty());
  engine.call(QStringLiteral("files/list"), json::object(), this, {}, [&](const EngineError& error) { later = error.message; });
  QTRY_VERIFY(later.contains(QStringLiteral("No engine is running")));
}

void BridgeTest::an_error_without_a_handler_is_complained_of() {
  Engine engine;
  QSignalSpy complaints(&engine, &Engine::complained);
  engine.start(fake_engine("good"));
  engine.call(QStringLiteral("candidate/get"), {{"id", "none"}}, this, [](const json&) {});
  QTRY_COMPARE(complaints.size(), 1);
  QVERIFY(complaints[0][0].toString().contains(QStringLiteral("no such candidate")));
}

}  // namespace kw::ui

QTEST_MAIN(kw::ui::BridgeTest)
#include "bridge_test.moc"
