# Waits until the instance has started, and prints its addresses.
systemctl is-system-running --wait
ip -4 -o addr show eth0
