#!/bin/sh
set -eu
while read -r key kilobytes _; do
  [ "$key" = MemTotal: ] && break
done < /proc/meminfo
# With both arguments, mount(8) ignores the current options. Their IDs would be those of the host.
mount -o "remount,nosuid,nodev,size=$((kilobytes / 2))k" tmpfs /dev/shm
mount -o "remount,nosuid,nodev,mode=755,size=$((kilobytes / 8))k" tmpfs /run
