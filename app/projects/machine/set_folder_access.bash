# Arguments: access, folder, project id, paths of other projects below the folder. The web server
# and PHP run as `www-data`, whose ACL entry overrides group and others. The script saves the
# folder's previous ACL entry by project id, and those of files below it by folder.
# shellcheck shell=bash
set -eu
access=$1 folder=$2 state=/var/lib/berth-shut
kept=$state/$3
shift 3
inside_file() { echo "$state/$(printf %s "$1" | sha256sum | cut -c1-32).inside"; }
inside=$(inside_file "$folder")
if [ ! -d "$folder" ]; then
  rm -f -- "$kept" "$kept".* "$inside"
  exit 0
fi
mkdir -p "$state"
cd -P -- "$folder"
real=$PWD
if [ "$real" != "$folder" ]; then
  # The folder is a link. PHP may change its target, so the saved entries are valid for this target only.
  inside=$(inside_file "$folder -> $real")
  kept=$kept.${inside##*/}
fi

entry_of() { getfacl -cp -- "$1" 2> /dev/null | sed -n 's/^user:www-data:\([rwx-]*\).*/\1/p'; }

# Opens a path below the folder as file descriptor 3. PHP may replace any part of the path with a link at any time:
# checks the real path after opening, and the caller changes the open file, never the path.
opened=/proc/self/fd/3
open_path() {
  [ -f "$1" ] || [ -d "$1" ] || return 1
  { exec 3< "$1"; } 2> /dev/null || return 1
  [ "$(
    readlink -n $opened
    echo .
  )" = "$real/${1#./}." ]
}

remove_denial() {
  if open_path "$1" && [ "$(entry_of $opened)" = --- ]; then setfacl -x u:www-data $opened; fi
}

is_in() {
  local wanted=$1 each
  shift
  for each; do [ "$each" != "$wanted" ] || return 0; done
  return 1
}

# Closes everything except other projects and the folders that lead to them. Skips sockets and pipes: the programs of
# an inactive project are stopped. A project on the way to another has its own call.
shut_entries() {
  local projects=() parents=() project path name entry
  for project; do
    projects+=(-path "./$project" -prune -o)
    path=$project
    while [ "$path" != "${path%/*}" ]; do
      path=${path%/*}
      parents+=(-path "./$path" -o)
      is_in "$path" "$@" || remove_denial "./$path"
    done
  done
  find . -mindepth 1 "${projects[@]}" "${parents[@]}" '(' -type d -o -type f ')' -print0 -prune |
    while IFS= read -rd '' name; do
      open_path "$name" || continue
      entry=$(entry_of $opened)
      [ "$entry" != --- ] || continue
      printf '%s %s\0' "$entry" "$name" >> "$inside"
      setfacl -m u:www-data:--- $opened || :
    done
}

open_entries() {
  local line entry
  while IFS= read -rd '' line; do
    entry=${line%% *}
    open_path "${line#* }" || continue
    if [ -n "$entry" ]; then
      setfacl -m "u:www-data:$entry" $opened
    else setfacl -x u:www-data $opened; fi || :
  done < "$inside"
  rm -f "$inside"
}

entry=$(entry_of .)
case $access in
shut | delete)
  if [ "$entry" != --- ]; then
    printf %s "$entry" > "$kept"
    setfacl -m u:www-data:--- .
  fi
  [ "$access" = delete ] || exit 0
  # Restores the saved ACL entries now. Otherwise a later project in this folder would apply them
  # to its own files with the same paths.
  [ ! -s "$inside" ] || open_entries
  rm -f -- "$kept"
  exit 0
  ;;
pass) shut_entries "$@" ;;
open) [ ! -s "$inside" ] || open_entries ;;
esac
# An outer project's call may have removed the denial already.
if [ -s "$kept" ]; then
  setfacl -m "u:www-data:$(cat "$kept")" .
# The folder may be a link to another closed project, so this opens only entries that this project closed.
elif [ "$entry" = --- ] && { [ "$real" = "$folder" ] || [ -e "$kept" ]; }; then setfacl -x u:www-data .; fi
rm -f -- "$kept"
