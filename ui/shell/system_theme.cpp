#include "ui/shell/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace kw::ui {

namespace {

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString interface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearance = QStringLiteral("org.freedesktop.appearance");
const QString colour_scheme = QStringLiteral("color-scheme");
constexpr uint prefers_dark = 1;

}  // namespace

SystemTheme::SystemTheme(QObject* parent) : QObject(parent) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(service, path, interface, QStringLiteral("SettingChanged"), this, SLOT(setting_changed(QString, QString, QDBusVariant)));
  QDBusMessage read = QDBusMessage::createMethodCall(service, path, interface, QStringLiteral("Read"));
  read << appearance << colour_scheme;
  auto* answer = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
    const QDBusPendingReply<QDBusVariant> reply = *answer;
    if (!reply.isError()) take(reply.value().variant());
    answer->deleteLater();
  });
}

void SystemTheme::setting_changed(const QString& area, const QString& key, const QDBusVariant& value) {
  if (area == appearance && key == colour_scheme) take(value.variant());
}

// `Read` wraps its answer in one more variant than the signal does.
void SystemTheme::take(const QVariant& preference) {
  const QVariant value = preference.canConvert<QDBusVariant>() ? preference.value<QDBusVariant>().variant() : preference;
  const Scheme scheme = value.toUInt() == prefers_dark ? Scheme::dark : Scheme::light;
  if (std::exchange(scheme_, scheme) != scheme) emit changed(scheme);
}

}  // namespace kw::ui
