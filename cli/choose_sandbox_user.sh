# Runs a command in which the arguments `--reuid=` and `--regid=` get a user ID that no account and no other sandbox
# has. Debian and systemd do not use this range. The ID contains the process ID, which stays reserved while the
# sandbox runs.
uid=$((2100000000 + $$))
for each; do
  case $each in --reuid= | --regid=) each=$each$uid ;; esac
  set -- "$@" "$each"
  shift
done
exec "$@"
