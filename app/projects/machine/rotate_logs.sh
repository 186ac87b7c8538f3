# Empties large logs in place after it has saved their newest part in a second file. Programs open their logs for
# appending, so they need no restart. A full disk loses the saved part, but never prevents the emptying.
#
# Arguments: size (KiB) above which a log is emptied, size (bytes) of the saved part, the text that the name of the
# second file begins with, the days after which an unused log is deleted (0: never), path patterns of the logs.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
umask 077
size=$1 keep=$2 prefix=$3 days=$4
shift 4
# shellcheck disable=SC2048,SC2086 # The shell expands the patterns. `find` ignores those that match no file.
find $* -maxdepth 0 -type f -size "+${size}k" 2> /dev/null | while IFS= read -r file; do
  [ -w "$file" ] || continue
  saved=${file%/*}/$prefix${file##*/}.1
  rm -f -- "$saved"
  tail -c "$keep" -- "$file" > "$saved" || rm -f -- "$saved"
  # A failed redirection of `:` would end the shell.
  true > "$file"
done
[ "$days" -gt 0 ] || exit 0
# PM2 knows the logs of stopped processes. Sites that are switched off still exist, so their logs are kept.
# shellcheck disable=SC2048,SC2086
find $* -maxdepth 0 -type f -mtime "+$days" 2> /dev/null | while IFS= read -r file; do
  case $file in /var/log/apache2/*) continue ;; esac
  find /proc/[0-9]*/fd -maxdepth 1 -lname "$file" 2> /dev/null | grep -q . && continue
  grep -qsF -- "\"$file\"" "${HOME:-/root}/.pm2/dump.pm2" && continue
  rm -f -- "$file" "${file%/*}/$prefix${file##*/}.1"
done
exit 0
