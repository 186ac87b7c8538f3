# Installs timers that limit the size of logs each minute. Each timer runs as the user who writes the logs, because this
# user could replace logs by links to other files. Arguments: site owner and its home, web root, sizes and days for
# `rotate_logs.sh`. Standard input: that script.
set -eu
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
owner=$1 home=$2 web=$3 size=$4 keep=$5 days=$6
script=/usr/local/lib/berth/rotate_logs.sh units=/etc/systemd/system
mkdir -p "${script%/*}"
cat > "$script.new"
mv -f "$script.new" "$script"
# Arguments: name, user, arguments of the script.
install_timer() {
  name=$1 user=$2
  shift 2
  cat > "$units/berth-logs-$name.service" << UNIT
[Unit]
Description=Limit the size of the logs of $name
[Service]
Type=oneshot
User=$user
ExecStart=/bin/sh $script $size $keep $*
# Without a line in the journal for each run.
LogLevelMax=warning
UNIT
  cat > "$units/berth-logs-$name.timer" << UNIT
[Unit]
Description=Limit the size of the logs of $name
[Timer]
OnCalendar=minutely
AccuracySec=10s
[Install]
WantedBy=timers.target
UNIT
}
install_timer apache root '""' "$days" '/var/log/apache2/*.log' '/var/log/php*-fpm.log'
install_timer pm2 "$owner" '""' "$days" "$home/.pm2/*.log" "$home/.pm2/logs/*.log"
# Debug logs of WordPress. A site serves no file with a leading dot.
install_timer wordpress www-data . 0 "$web/wp-content/debug.log" "$web/*/wp-content/debug.log" \
  "$web/*/*/wp-content/debug.log"
systemctl daemon-reload
systemctl enable -q --now berth-logs-apache.timer berth-logs-pm2.timer berth-logs-wordpress.timer
