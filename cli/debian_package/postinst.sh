#!/bin/sh
# Starts or upgrades Berth. If that fails (a port in use, a wrong setting), prints the reason and succeeds anyway, so
# that the package is not left half configured.
set -e
if [ "$1" = configure ]; then
  if [ -d /run/systemd/system ]; then
    if [ -n "$2" ] && [ -e /etc/systemd/system/berth.target ]; then
      berth upgrade || echo 'Berth keeps running the previous release. Fix the errors above, then run: berth upgrade' >&2
    else
      berth install || echo 'Berth is installed, but it is not running yet. Fix the errors above, then run: berth install' >&2
    fi
  else
    echo 'systemd does not run this machine: start Berth with "berth up"' >&2
  fi
elif [ "$1" = triggered ] && [ -d /run/systemd/system ]; then
  # The PostgreSQL package was updated. It restarts only clusters that pg_lsclusters(1) lists, so this restarts
  # Berth's server, unless its programs were removed.
  server=$(sed -n 's/^ExecStart="\{0,1\}\(\/usr\/lib\/postgresql\/[0-9]*\/bin\/postgres\).*/\1/p' /etc/systemd/system/berth-postgres.service 2> /dev/null || true)
  if [ -n "$server" ] && [ -x "$server" ]; then
    systemctl try-restart berth-postgres.service || true
  fi
fi
