#!/bin/sh
# Instances belong to Incus and stay until somebody deletes them.
set -e
if [ "$1" = purge ]; then
  rm -rf --one-file-system /var/lib/berth /var/cache/berth /etc/berth
  rm -f /etc/sysctl.d/60-berth.conf /etc/apt/apt.conf.d/02berth-postgresql
  for user in $(grep -o '^berth-[a-z]*' /etc/passwd || true); do
    userdel "$user" 2> /dev/null || true
  done
  if [ "$(readlink /etc/systemd/system/caddy.service 2> /dev/null)" = /dev/null ]; then
    rm -f /etc/systemd/system/caddy.service
  fi
fi
