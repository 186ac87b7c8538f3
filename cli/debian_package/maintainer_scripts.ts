/** The package's command, and the scripts that dpkg runs (deb-preinst(5) and others). */
export const maintainerScripts = {
  command: `#!/bin/sh
exec /usr/lib/berth/node/bin/node --max-old-space-size=96 /usr/lib/berth/build/cli/main.js "$@"
`,

  // Caddy's package would start a second edge server on port 80. An already installed Caddy stays unchanged.
  preinst: `#!/bin/sh
set -e
caddy=$(dpkg-query -W -f='\${db:Status-Status}' caddy 2>/dev/null || true)
if [ "$1" = install ] && [ -d /run/systemd/system ] && [ "$caddy" != installed ]; then
  systemctl mask --quiet caddy.service || true
fi
`,

  // If the start fails (a used port, a wrong setting), print the reason, but do not leave the package half
  // configured.
  postinst: `#!/bin/sh
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
fi
`,

  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  berth uninstall || true
fi
`,

  // Instances belong to Incus and stay until somebody deletes them.
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf --one-file-system /var/lib/berth /var/cache/berth /etc/berth
  rm -f /etc/sysctl.d/60-berth.conf
  for user in $(grep -o '^berth-[a-z]*' /etc/passwd || true); do
    userdel "$user" 2>/dev/null || true
  done
  if [ "$(readlink /etc/systemd/system/caddy.service 2>/dev/null)" = /dev/null ]; then
    rm -f /etc/systemd/system/caddy.service
  fi
fi
`,
}
