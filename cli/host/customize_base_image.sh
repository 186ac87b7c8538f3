#!/bin/sh
# mmdebstrap runs this with the root folder as argument. BERTH_STAGE contains `overlay` and `node`.
set -eu
root="$1"
cp -a "$BERTH_STAGE/overlay/." "$root/"
cp -a "$BERTH_STAGE/node/." "$root/usr/local/"
chown -R 0:0 "$root/usr/local/lib/node_modules"
chmod 0440 "$root/etc/sudoers.d/berth"
chmod 0755 "$root$BERTH_TMPFS_PROGRAM"
chroot "$root" useradd --create-home --uid 1000 --user-group --shell /bin/bash berth
chroot "$root" usermod --password '*' berth
chroot "$root" usermod --password '*' root
install -d -o 1000 -g 1000 -m 0755 "$root/var/www/public_html"
rm -rf "$root/var/www/html"
# Given up when a full disk is to be made larger (app/instances/containers/limits.ts).
head -c 1048576 /dev/urandom > "$root/var/lib/berth-reserve"
chmod 0600 "$root/var/lib/berth-reserve"
# shellcheck disable=SC2086 # A list of modules.
chroot "$root" a2enmod -q $BERTH_APACHE_MODULES
chroot "$root" a2enconf -q berth
chroot "$root" systemctl -q enable systemd-networkd systemd-resolved ssh ssh-host-keys apache2 pm2-berth
chroot "$root" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer systemd-networkd-wait-online.service
rm -f "$root"/etc/ssh/ssh_host_*
ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
: > "$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id"
