systemctl is-system-running --wait
ip -4 -o addr show eth0
