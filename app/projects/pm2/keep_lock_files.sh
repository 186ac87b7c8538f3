# Runs the command in the arguments, then restores the lock files of pnpm and Yarn in the current folder, and Yarn's
# settings, which Yarn may change too. Removes lock files that the command created. If a git pull changed a file
# meanwhile, restores the pulled version.
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
  # 1: the file has changed. Other codes are failures of git.
  if [ "$changed" = 1 ]; then
    git checkout -q -- "$name" 2> /dev/null || rm -f "$name"
  elif [ -f "$saved/$name" ]; then cp -p "$saved/$name" "$name"; else rm -f "$name"; fi
done
rm -rf "$saved"
exit "$status"
