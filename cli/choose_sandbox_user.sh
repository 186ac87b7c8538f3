# Completes `--reuid=` and `--regid=` with a user ID that no account and no other sandbox has. Debian and systemd do
# not use this range. The process ID stays reserved while the sandbox runs.
uid=$((2100000000 + $$))
for each; do
  case $each in --reuid= | --regid=) each=$each$uid ;; esac
  set -- "$@" "$each"
  shift
done
exec "$@"
