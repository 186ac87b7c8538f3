# Common beginning of all scripts that run in the web root. Arguments: the script text, the
# command, the web root, then the command's own arguments. It is safe even while a customer
# replaces folders by symlinks:
#
# - It changes into the web root first, and then reads the kernel's path from PWD (`cd -P`). So
#   `$root` contains no symlink.
# - If it runs as root, it switches to the owner of the web root before anything else. If root owns
#   the web root, it continues as root. `[ -O / ]` detects root without starting a program, because
#   root owns `/`.
# - Arguments can only be text. Bytes that are not valid text, and backslashes, arrive as octal
#   escapes.
#
# Exit codes common to all scripts: 20 outside the web root, 21 not found, 31 no web root.
set -u
umask 022
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
self=$1 verb=$2 root=$3
shift 3
cd -P -- "$root" 2> /dev/null || exit 31
root=$PWD
if [ ! -O . ] && { [ -O / ] || [ "$(id -u)" = 0 ]; }; then
  owner=$(stat -c '%u %g' .)
  while IFS=: read -r _ _ uid _ _ home _; do
    if [ "$uid" = "${owner% *}" ]; then export HOME="$home"; fi
  done < /etc/passwd
  exec setpriv --reuid="${owner% *}" --regid="${owner#* }" --clear-groups \
    sh -c "$self" sh "$self" "$verb" "$root" "$@"
fi
for each; do
  case $each in *\\*)
    each=$(printf '%b.' "$each")
    each=${each%.}
    ;;
  esac
  set -- "$@" "$each"
  shift
done
is_there() { [ -e "./$1" ] || [ -L "./$1" ]; }
# Sets $starter to the name $2 if it is Berth's unchanged starter page in folder $1, with the hash $3.
# shellcheck disable=SC2034 # The scripts that follow use it.
find_starter() {
  starter=
  [ -n "$2" ] && [ -f "$1/$2" ] && [ ! -L "$1/$2" ] || return 0
  starter_hash=$(sha256sum < "$1/$2")
  [ "${starter_hash%% *}" != "$3" ] || starter=$2
}
