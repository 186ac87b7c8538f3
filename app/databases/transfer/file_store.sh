# Arguments: verb, folder, file name, and a seal for `put`. Exit codes: 50 disk full, 51 interrupted, 52
# file not found, 53 invalid name.
#
# Members of the folder's group can read and write the files, because the web and worker processes share
# the files of managed servers.
#
# `put` writes standard input to a temporary name. Standard input must end with the seal (32 bytes), which
# proves that it is complete. The script removes the seal and renames the file once it is on disk.
set -eu
umask 077
verb=$1 folder=$2 name=$3
[ -d "$folder" ] || mkdir -p -- "$folder"
umask 007
cd -P -- "$folder"
case $name in */* | .* | '') exit 53 ;; esac
case $verb in
put)
  seal=$4
  find . -maxdepth 1 -name '.part-*' -mmin +1440 -delete
  trap 'rm -f -- ".part-$name"' EXIT
  trap 'exit 51' HUP INT TERM
  cat > ".part-$name" || exit 50
  [ "$(tail -c 32 -- ".part-$name")" = "$seal" ] || exit 51
  truncate -s -32 -- ".part-$name"
  sync -- ".part-$name"
  mv -- ".part-$name" "$name"
  sync -- .
  stat -c %s -- "$name"
  sha256sum < "$name"
  ;;
get)
  [ -f "$name" ] || exit 52
  stat -c %s -- "$name"
  exec cat -- "$name"
  ;;
remove)
  rm -f -- "$name" ".part-$name"
  ;;
old)
  find . -maxdepth 1 -type f -mmin +1440 -delete
  ;;
room)
  stat -f -c '%a %S' .
  ;;
digest)
  [ -f "$name" ] || exit 52
  sha256sum < "$name"
  ;;
esac
