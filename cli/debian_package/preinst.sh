#!/bin/sh
# Caddy's package would start a second edge server on port 80. An already installed Caddy stays unchanged.
set -e
caddy=$(dpkg-query -W -f='${db:Status-Status}' caddy 2> /dev/null || true)
if [ "$1" = install ] && [ -d /run/systemd/system ] && [ "$caddy" != installed ]; then
  systemctl mask --quiet caddy.service || true
fi
