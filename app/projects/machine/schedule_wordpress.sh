# Runs a site's scheduled tasks every five minutes, even without visits. Arguments: name of the
# systemd units, and the folder, or an empty string to stop the tasks.
cd /etc/systemd/system || exit 1
if [ -z "$2" ]; then
  [ -e "$1.timer" ] || exit 0
  systemctl -q disable --now "$1.timer"
  rm -f -- "$1.timer" "$1.service"
  systemctl daemon-reload
  exit 0
fi
cat > "$1.service" << UNIT
[Unit]
Description=Scheduled tasks of WordPress in $2
After=mariadb.service
ConditionPathExists=$2/wp-cron.php

[Service]
Type=oneshot
User=www-data
Group=www-data
Nice=10
TimeoutStartSec=10min
ExecStart=/usr/bin/php -d memory_limit=256M $2/wp-cron.php
UNIT
cat > "$1.timer" << UNIT
[Unit]
Description=Scheduled tasks of WordPress in $2

[Timer]
OnCalendar=*:0/5
RandomizedDelaySec=60

[Install]
WantedBy=timers.target
UNIT
systemctl daemon-reload
systemctl -q enable --now "$1.timer"
