#!/bin/sh
set -eu
while read -r key kilobytes _; do
  [ "$key" = MemTotal: ] && break
done < /proc/meminfo
# With both a source and a folder, mount(8) does not reuse the current options. Their `uid` and `gid` are IDs of the
# host, which are wrong in the container.
mount -o "remount,nosuid,nodev,size=$((kilobytes / 2))k" tmpfs /dev/shm
mount -o "remount,nosuid,nodev,mode=755,size=$((kilobytes / 8))k" tmpfs /run
