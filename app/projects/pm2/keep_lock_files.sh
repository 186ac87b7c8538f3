# Runs the command in the arguments, and restores the lock files of the current folder after it. A lock file that the
# command created is removed. Yarn may also change its settings.
set -u
names='pnpm-lock.yaml yarn.lock .yarnrc.yml'
saved=$(mktemp -d) || exit 1
for name in $names; do
  [ ! -f "$name" ] || cp -p "$name" "$saved/" || exit 1
done
"$@" &
trap 'kill "$!" 2>/dev/null' TERM INT HUP
status=0
wait "$!" || status=$?
for name in $names; do
  if [ -f "$saved/$name" ]; then cp -p "$saved/$name" "$name"; else rm -f "$name"; fi
done
rm -rf "$saved"
exit "$status"
