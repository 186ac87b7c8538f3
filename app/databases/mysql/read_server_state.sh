# Prints one line each: `there` or `absent`, the state of the systemd unit, the version, the free bytes.
if command -v mariadbd > /dev/null 2>&1 || [ -x /usr/sbin/mariadbd ]; then echo there; else echo absent; fi
systemctl is-active mariadb 2> /dev/null || true
PATH=$PATH:/usr/sbin mariadbd --version 2> /dev/null || echo
df -B1 --output=avail /var/lib/mysql 2> /dev/null | tail -n 1 || true
