# Runs the command in the arguments, and restores the lock files of the current folder after it. A lock file that the
# command created is removed. Yarn may also change its settings. What a pull changed meanwhile is taken from its commit.
set -u
names='pnpm-lock.yaml yarn.lock .yarnrc.yml'
saved=$(mktemp -d) || exit 1
for name in $names; do
  [ ! -f "$name" ] || cp -p "$name" "$saved/" || exit 1
done
head=$(git rev-parse -q --verify HEAD 2> /dev/null)
"$@" &
trap 'kill "$!" 2>/dev/null' TERM INT HUP
status=0
wait "$!" || status=$?
for name in $names; do
  changed=0
  [ -z "$head" ] || git diff --quiet "$head" HEAD -- "$name" 2> /dev/null || changed=$?
  # Other codes than 1 are failures of git.
  if [ "$changed" = 1 ]; then
    git checkout -q -- "$name" 2> /dev/null || rm -f "$name"
  elif [ -f "$saved/$name" ]; then cp -p "$saved/$name" "$name"; else rm -f "$name"; fi
done
rm -rf "$saved"
exit "$status"
