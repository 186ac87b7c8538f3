#!/bin/sh
# If the start fails (a used port, a wrong setting), prints the reason, but does not leave the package half
# configured.
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
  # An update of PostgreSQL restarts only the clusters of pg_lsclusters(1), so a server without programs keeps
  # running.
  server=$(sed -n 's/^ExecStart="\{0,1\}\(\/usr\/lib\/postgresql\/[0-9]*\/bin\/postgres\).*/\1/p' /etc/systemd/system/berth-postgres.service 2> /dev/null || true)
  if [ -n "$server" ] && [ -x "$server" ]; then
    systemctl try-restart berth-postgres.service || true
  fi
fi
