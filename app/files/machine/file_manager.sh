# The single shell script that the file manager runs on machines. Verbs without a folder argument
# work in the web root. The script is safe even if someone replaces folders by links while it runs:
#
# - `enter` changes into a folder first and checks its location afterwards: `cd -P` sets PWD to the
#   real path. After that, every name is `./name` in the open folder, which cannot be replaced any
#   more.
# - `open_file` opens a file first, and then checks which file it opened. It reads no byte before
#   this check.
# - The script writes new content to a new file, which `set -C` creates with O_EXCL, and renames it.
#   A rename follows no link. File descriptor 4 keeps a second folder open.
#
# The keys of `outcomes` in `web_root.ts` are the exit codes of this script.
#
# shellcheck disable=SC2154 # web_root_prologue.sh sets verb and root.
# Changes into the folder $1 below the web root. Empty: the web root.
enter() {
  cd -P -- "$root" || exit 31
  [ -n "$1" ] || return 0
  if ! cd -P -- "./$1" 2> /dev/null; then
    if [ -d "./$1" ]; then exit 27; fi
    if [ -e "./$1" ] || [ -L "./$1" ]; then exit 24; fi
    exit 21
  fi
  case "$PWD/" in "$root/"*) ;; *) exit 20 ;; esac
}
# Opens the file $1 as descriptor 3. Exits unless it is a regular file below the web root.
open_file() {
  is_there "$1" || exit 21
  if [ -L "./$1" ] && [ ! -e "./$1" ]; then exit 21; fi
  [ ! -d "./$1" ] || exit 25
  if [ ! -f "./$1" ]; then exit 25; fi
  exec 3< "./$1"
  opened=$(
    readlink /proc/self/fd/3
    echo x
  )
  case "$opened" in "$root/"*) ;; *) exit 20 ;; esac
}
# Prints size, modification time and mode of the open file.
facts() { stat -L -c '%s %Y %a' /proc/self/fd/3; }
# Returns whether the folder open as descriptor 4 contains $1.
taken() { [ -e "/proc/self/fd/4/$1" ] || [ -L "/proc/self/fd/4/$1" ]; }
# Moves all entries of the current folder into the folder open as descriptor 4. If one of the names exists there,
# moves nothing and exits with 22.
settle() {
  for each in ./* ./.[!.]* ./..?*; do
    if is_there "$each" && taken "$each"; then
      printf %s "${each#./}"
      exit 22
    fi
  done
  find . -mindepth 1 -maxdepth 1 -exec mv -n -t /proc/self/fd/4 -- {} + || exit 1
  # `mv -n` leaves an entry here if another program has created an entry of this name in the target folder.
  [ -z "$(find . -mindepth 1 -print -quit)" ] || exit 22
}
# Changes into the parent folder of the path $1. Sets $name to its last part.
enter_folder_of() {
  case "$1" in */*) enter "${1%/*}" ;; *) enter '' ;; esac
  name=${1##*/}
}
stop() {
  printf %s "$name"
  exit "$1"
}
# Sets $starter to the unchanged starter page of this folder if the unpacked folder $1 has an index file.
find_replaced_starter() {
  find_starter . "$2" "$3"
  [ -e "./$1/index.html" ] || [ -e "./$1/index.htm" ] || [ -e "./$1/index.php" ] || starter=
}
# Changes into the hidden folder $2 in the folder $1. Exits unless this user owns the hidden folder, because its
# content must not come from another user.
enter_unpacked() {
  enter "${1:+$1/}$2"
  [ -O . ] || exit 20
}
# Locks the hidden folder $1, into which an archive is unpacked. Another process may still use it: an earlier attempt
# whose connection was lost, or a cancellation. Exits with 40 after 120 s.
lock_unpacked() {
  is_folder "$1" || return 0
  exec 8< "./$1"
  flock -w 120 8 || exit 40
  # Another attempt has deleted the folder and started again.
  if is_there "$1" && ! [ "./$1" -ef /proc/self/fd/8 ]; then exit 40; fi
}
# Locks the hidden folder $1. Exits with 41 if it does not exist.
require_unpacked() {
  lock_unpacked "$1"
  is_there "$1" || exit 41
}
# Deletes the starter pages that were moved aside when the hidden folder $1 was unpacked.
delete_aside_pages() { rm -f -- "./$1.index.html" "./$1.index.php"; }
# Deletes the folder $1, even if it contains folders that an archive made read-only for their owner.
delete_tree() {
  rm -rf -- "./$1" 2> /dev/null || {
    chmod -R u+rwX -- "./$1"
    rm -rf -- "./$1"
  }
}
is_folder() { [ -d "./$1" ] && [ ! -L "./$1" ]; }
# Sets `$target` to a free name for a copy of `$name`: inserts `copy` before the file extension, and a number if that
# name is taken. `.htaccess` has no extension.
name_copy() {
  stem=$name ending=
  if ! is_folder "$name"; then
    case "$name" in ?*.*) stem=${name%.*} ending=.${name##*.} ;; esac
  fi
  number=1 target="$stem copy$ending"
  while taken "$target" || [ -e "/proc/self/fd/5/$target" ] || [ -L "/proc/self/fd/5/$target" ]; do
    number=$((number + 1)) target="$stem copy $number$ending"
  done
}
# Deletes temporary files and folders that are older than a day.
delete_leftovers() {
  find . -maxdepth 1 -name '.berth-*' -mmin +1440 -exec rm -rf -- {} + 2> /dev/null
}
# Writes standard input to descriptor 4. Uses direct I/O, because uploads would otherwise fill the page cache, which
# counts as the instance's memory. If the file system does not support direct I/O, uses dd's `nocache`.
write_content() {
  way=direct
  dd count=0 oflag=direct status=none < /dev/null >&4 2> /dev/null || way=nocache
  dd bs=1M iflag=fullblock oflag="$way" status=none >&4
}
# Prints the offset at which the upload $1 (full size $2) continues. Rounds an incomplete upload down to whole MiB,
# because direct I/O needs whole blocks.
resume_offset() {
  held=0
  if [ -f "./$1" ] && [ ! -L "./$1" ]; then held=$(stat -c %s -- "./$1"); fi
  if [ "$held" -gt "$2" ]; then held=0; fi
  if [ "$held" != "$2" ]; then held=$((held - held % 1048576)); fi
  echo "$held"
}
# Returns whether the file $1 has $2 bytes and the hash $3. The hash is the SHA-256 of the list that sha256sum prints
# for the file's 16 MiB chunks.
is_content() {
  [ -f "./$1" ] && [ ! -L "./$1" ] && [ "$(stat -c %s -- "./$1")" = "$2" ] || return 1
  sum=$(split -b 16777216 --filter=sha256sum -- "./$1" | sha256sum)
  [ "${sum%% *}" = "$3" ]
}
# Moves the file $1 of the web root into the folder $2 and renames it to $3. Replaces an existing file if $4 is `yes`,
# otherwise exits with 22.
place_file() {
  enter "$2"
  if is_there "$3"; then
    [ ! -d "./$3" ] || [ -L "./$3" ] || exit 22
    [ "$4" = yes ] || exit 22
    [ ! -f "./$3" ] || [ -L "./$3" ] || chmod --reference="./$3" -- "$root/$1"
  fi
  exec 4< .
  cd -P -- "$root" || exit 31
  if [ "$4" = yes ]; then
    mv -T -- "./$1" "/proc/self/fd/4/$3" || exit 1
  else
    mv -n -T -- "./$1" "/proc/self/fd/4/$3"
    [ ! -e "./$1" ] || exit 22
  fi
}
case $verb in
list)
  # Arguments: folder. Prints type, target type, size, modification time, mode, name and link target of each entry, each
  # followed by NUL.
  enter "$1"
  exec find . -mindepth 1 -maxdepth 1 ! -name '.berth-*' \
    -printf '%y\0%Y\0%s\0%T@\0%m\0%f\0%l\0'
  ;;
info)
  # Arguments: folder, name. Prints size, modification time and mode.
  enter "$1"
  open_file "$2"
  facts
  ;;
read)
  # Arguments: folder, name, maximum number of bytes. Prints the facts as `info`, then the beginning of the file.
  enter "$1"
  open_file "$2"
  facts
  exec head -c "$3" <&3
  ;;
slice)
  # Arguments: folder, name, offset, number of bytes. Prints these bytes.
  enter "$1"
  open_file "$2"
  exec dd bs=262144 iflag=skip_bytes,count_bytes skip="$3" count="$4" status=none <&3
  ;;
pack)
  # Arguments: folder, maximum number of entries. Standard input: names in the folder, each followed by NUL; none means
  # all. Prints a tar archive. The shell separates names at slashes, which no name contains. tar follows no link and
  # skips files that it may not read.
  enter "$1"
  most=$2
  set -f
  IFS=/
  # shellcheck disable=SC2046 # Not quoted, because IFS is a slash: the shell splits the names there.
  set -- $(tr '\000' /)
  unset IFS
  for each; do
    is_there "$each" || exit 21
    set -- "$@" "./$each"
    shift
  done
  [ $# != 0 ] || set -- .
  count=$(find "$@" -name '.berth-*' -prune -o -printf . 2> /dev/null | head -c "$((most + 1))" | wc -c)
  [ "$count" -le "$most" ] || exit 35
  exec tar -c -b 128 --format=gnu --hard-dereference --ignore-failed-read --exclude='.berth-*' -f - -- "$@"
  ;;
save)
  # Arguments: folder, name, temporary name, expected SHA-256 of the current content (empty: any), size. Standard input:
  # the new content. Prints the new size, modification time and mode.
  enter "$1"
  name=$2
  if [ -L "./$name" ]; then
    target=$(
      readlink -f -- "./$name"
      echo x
    )
    target=${target%?x}
    case "$target" in "$root/"*) target=${target#"$root/"} ;; *) exit 20 ;; esac
    name=${target##*/}
    case "$target" in */*) enter "${target%/*}" ;; *) enter '' ;; esac
    [ ! -L "./$name" ] || exit 20
  fi
  is_there "$name" || exit 21
  [ -f "./$name" ] || exit 25
  trap 'rm -f -- "./$3"' EXIT
  trap 'exit 1' HUP INT TERM
  set -C
  cat > "./$3" || exit 1
  set +C
  [ "$(stat -c %s "./$3")" = "$5" ] || exit 30
  if [ -n "$4" ]; then
    now=$(sha256sum < "./$name")
    [ "${now%% *}" = "$4" ] || exit 26
  fi
  chmod --reference="./$name" -- "./$3"
  [ "$(id -u)" != 0 ] || chown --reference="./$name" -- "./$3"
  sync -- "./$3" || exit 1
  mv -T -- "./$3" "./$name" || exit 1
  stat -c '%s %Y %a' -- "./$name"
  ;;
make)
  # Arguments: folder, type (`folder` or another word for a file), name. Creates an empty file or folder.
  enter "$1"
  ! is_there "$3" || exit 22
  if [ "$2" = folder ]; then
    exec mkdir -- "./$3"
  fi
  set -C
  : > "./$3"
  ;;
room)
  # Arguments: folder, name. Prints `folder`, `file` or `nothing`, then the free blocks and the block size.
  enter "$1"
  if is_there "$2"; then
    if [ -d "./$2" ]; then echo folder; else echo file; fi
  else
    echo nothing
  fi
  stat -f -c '%a %S' .
  ;;
receive)
  # Arguments: temporary name, end marker. Standard input: the content, then the marker, whose absence shows that the
  # connection was lost. Prints `stored`.
  delete_leftovers
  trap 'rm -f -- "./$1"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  set -C
  exec 4> "./$1"
  set +C
  write_content || exit 1
  exec 4>&-
  [ "$(tail -c "${#2}" -- "./$1" | tr -d '\000')" = "$2" ] || exit 30
  truncate -s "-${#2}" -- "./$1" || exit 1
  sync -- "./$1" || exit 1
  trap - EXIT
  echo stored
  ;;
place)
  # Arguments: temporary name, folder, name, whether to overwrite (`yes`). Moves a received file to its place.
  trap 'cd -P -- "$root" && rm -f -- "./$1"' EXIT
  place_file "$1" "$2" "$3" "$4"
  ;;
progress)
  # Arguments: temporary name, prefix, full size. Prints the offset at which the upload continues, and the total bytes
  # of unfinished earlier versions of the file, whose names have this prefix.
  other=0
  for each in "./$2"*; do
    if [ "$each" = "./$1" ] || [ ! -f "$each" ] || [ -L "$each" ]; then continue; fi
    other=$((other + $(stat -c %s -- "$each")))
  done
  echo "$(resume_offset "$1" "$3") $other"
  ;;
receive-part)
  # Arguments: temporary name, prefix, offset, end, full size. Standard input: the bytes from offset to end. Keeps the
  # bytes that arrived before a lost connection. This process and its dd hold the lock until they exit.
  delete_leftovers
  if [ "$3" = 0 ]; then find . -maxdepth 1 -name "$2*" ! -name "$1" -exec rm -f -- {} +; fi
  if ! is_there "$1"; then
    [ "$3" = 0 ] || exit 36
    set -C
    : > "./$1" || exit 1
    set +C
  fi
  [ -f "./$1" ] && [ ! -L "./$1" ] || exit 25
  exec 4>> "./$1"
  [ "$(readlink /proc/self/fd/4)" = "$root/$1" ] || exit 20
  flock -w 5 4 || exit 37
  [ "$(resume_offset "$1" "$5")" = "$3" ] || exit 36
  truncate -s "$3" -- "./$1" || exit 1
  write_content
  code=$?
  # dd exits with 1 if it cannot write, for example to a full disk. A remaining hidden file would keep the disk full.
  [ "$code" != 1 ] || rm -f -- "./$1"
  [ "$code" = 0 ] || exit 1
  sync -- "./$1" || exit 1
  [ "$(stat -c %s -- "./$1")" = "$4" ] || exit 30
  ;;
finish)
  # Arguments: temporary name, folder, name, whether to overwrite (`yes`), size, hash. If the name exists, keeps the
  # temporary file, so that its content need not be sent again. Waits for an earlier attempt whose connection was
  # lost. `receive-part` locks the same file.
  if [ -f "./$1" ] && [ ! -L "./$1" ]; then
    exec 8< "./$1"
    flock -w 120 8 || exit 37
  fi
  if ! is_there "$1"; then
    # The temporary file is gone: an earlier attempt has moved it, but its response was lost.
    enter "$2"
    is_content "$3" "$5" "$6" || exit 36
    exit 0
  fi
  [ "$(resume_offset "$1" "$5")" = "$5" ] || exit 36
  if ! is_content "$1" "$5" "$6"; then
    rm -f -- "./$1"
    exit 38
  fi
  place_file "$1" "$2" "$3" "$4"
  ;;
leftovers)
  # Deletes old temporary files and folders of the web root. Deletes old temporary folders in its subfolders too,
  # because Unzip and Clone create theirs beside the target.
  delete_leftovers
  find . -name node_modules -prune -o -type d -name '.berth-*' -prune -mmin +1440 -exec rm -rf -- {} + 2> /dev/null
  ;;
many)
  # Arguments: folder, temporary name, name of the last entry. Standard input: a tar archive of files. It is complete
  # only if it contains the last entry.
  enter "$1"
  cd -P -- "$root" || exit 31
  trap 'cd -P -- "$root" && rm -rf -- "./$2"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  mkdir -m 0700 -- "./$2" || exit 1
  tar -x -m -f - -C "./$2" || exit 1
  cd -P -- "./$2" && [ "$PWD" = "$root/$2" ] || exit 20
  rm -- "./$3" 2> /dev/null || exit 30
  sync -f . || exit 1
  enter "$1"
  exec 4< .
  cd -P -- "$root/$2" || exit 20
  settle
  ;;
discard)
  # Arguments: temporary name. Deletes it.
  rm -rf -- "./$1"
  ;;
delete)
  # Arguments: folder, type (`file` or `folder`), name.
  enter "$1"
  is_there "$3" || exit 21
  if [ -d "./$3" ] && [ ! -L "./$3" ]; then
    [ "$2" = folder ] || exit 25
    exec rm -rf -- "./$3"
  fi
  # The page shows a link to a folder as a folder, so a link may be here. Only the link is deleted.
  [ "$2" = file ] || [ -L "./$3" ] || exit 24
  exec rm -f -- "./$3"
  ;;
copy | move | delete-many | mode)
  # Arguments: number of paths; then for copy: folder, temporary name; for move: folder; for mode: modes of files and
  # of folders, and `deep` to include the contents of folders. Standard input: the paths, one per line, escaped for
  # `printf %b`, because arguments cannot hold so many. Except for copy, prints NUL for each finished path. For the
  # errors of `stop`, prints the name of the path that caused them.
  most=$1 into=${2-} part=${3-} deep=${4-}
  set --
  while IFS= read -r each; do
    case $each in *\\*)
      each=$(printf '%b.' "$each")
      each=${each%.}
      ;;
    esac
    set -- "$@" "$each"
  done
  # If the number differs, the connection was lost. The last path may then be truncated, and so be a different path.
  [ "$#" = "$most" ] || exit 30
  exec < /dev/null
  case $verb in copy | move)
    enter "$into"
    [ -w . ] || exit 27
    exec 4< .
    there=$PWD
    ;;
  esac
  for path; do
    enter_folder_of "$path"
    is_there "$name" || stop 34
    case $verb in
    copy | move)
      if is_folder "$name"; then
        case "$there/" in "$PWD/$name/"*) stop 32 ;; esac
        # To move a folder to another parent, the folder itself must be writable.
        [ -w "./$name" ] || exit 27
      fi
      if [ "$verb" = move ] || [ "$PWD" != "$there" ]; then ! taken "$name" || stop 22; fi
      [ "$verb" = copy ] || [ -w . ] || exit 27
      ;;
    delete-many) [ -w . ] || exit 27 ;;
    mode) [ ! -L "./$name" ] || stop 33 ;;
    esac
  done
  case $verb in
  copy)
    cd -P -- "$root" || exit 31
    drop_part() {
      cd -P -- "$root" || return
      delete_tree "$part"
    }
    trap drop_part EXIT
    trap 'exit 1' HUP INT TERM PIPE
    mkdir -m 0700 -- "./$part" || exit 1
    cd -P -- "./$part" && [ "$PWD" = "$root/$part" ] || exit 20
    exec 5< .
    for path; do
      enter_folder_of "$path"
      target=$name
      [ "$PWD" != "$there" ] || name_copy
      if [ -e "/proc/self/fd/5/$target" ] || [ -L "/proc/self/fd/5/$target" ]; then stop 22; fi
      cp -a --reflink=auto -T -- "./$name" "/proc/self/fd/5/$target" || exit 1
    done
    cd -P -- "$root/$part" && [ "$PWD" = "$root/$part" ] || exit 20
    # Some file systems report a full disk only at sync.
    sync -f . || exit 1
    settle
    ;;
  move)
    for path; do
      enter_folder_of "$path"
      mv -n -T -- "./$name" "/proc/self/fd/4/$name"
      code=$?
      if is_there "$name" && taken "$name"; then
        echo 'another program created a file with this name meanwhile.' >&2
        exit 1
      fi
      [ "$code" = 0 ] || exit 1
      printf '\0'
    done
    ;;
  delete-many)
    for path; do
      enter_folder_of "$path"
      rm -rf -- "./$name" || exit 1
      printf '\0'
    done
    ;;
  mode)
    for path; do
      enter_folder_of "$path"
      # find follows no link, not even the path itself. Makes folders accessible first, and sets their final mode
      # after that of their contents.
      if [ "$deep" = deep ]; then
        find "./$name" -type d ! -perm -0700 -execdir chmod u+rwx {} \; || exit 1
        find "./$name" -depth \( -type d -execdir chmod "$part" {} + \) -o \
          \( -type f -execdir chmod "$into" {} + \) || exit 1
      else
        find "./$name" -maxdepth 0 \( -type d -execdir chmod "$part" {} + \) -o \
          \( -type f -execdir chmod "$into" {} + \) || exit 1
      fi
      printf '\0'
    done
    ;;
  esac
  ;;
rename)
  # Arguments: old folder, old name, new folder, new name.
  enter "$1"
  is_there "$2" || exit 21
  enter "$3"
  ! is_there "$4" || exit 22
  exec 4< .
  enter "$1"
  mv -n -T -- "./$2" "/proc/self/fd/4/$4" || {
    [ -e "/proc/self/fd/4/$4" ] && exit 22
    exit 1
  }
  ! is_there "$2" || exit 22
  ;;
unpack)
  # Arguments: the archive's folder and name, destination, temporary name, maximum file size in blocks of 512 bytes,
  # `usable` to add no permissions, offset of the archive's central directory if standard input replaces it.
  enter "$1"
  open_file "$2"
  enter_or_make() {
    case "$1" in */*) enter "${1%/*}" ;; *) enter '' ;; esac
    is_there "${1##*/}" || mkdir -- "./${1##*/}" || exit 1
    enter "$1"
  }
  if [ -n "$3" ]; then enter_or_make "$3"; else enter ''; fi
  lock_unpacked "$4"
  delete_tree "$4"
  there=$PWD
  mkdir -m 0700 -- "./$4" || exit 1
  cd -P -- "./$4" && [ "$PWD" = "$there/$4" ] && [ -O . ] || exit 20
  # unzip inherits the descriptor, so the lock stays until unzip exits.
  exec 8< .
  flock -n 8 || exit 40
  if [ -n "$7" ]; then
    cp --reflink=auto --no-preserve=mode /proc/self/fd/3 ./.berth-archive || exit 1
    truncate -s "$7" ./.berth-archive || exit 1
    cat >> ./.berth-archive || exit 1
    exec 3< ./.berth-archive
    rm ./.berth-archive
  fi
  ulimit -f "$5"
  unzip -oq /proc/self/fd/3 < /dev/null
  code=$?
  [ "$code" -le 1 ] || exit "$((code + 100))"
  [ "$6" != usable ] || exit 0
  chmod -R u+rwX . || exit 1
  # Makes files readable for the web server and PHP, which run as another user. Keys, credentials and dumps do not get
  # this permission.
  exec find . -mindepth 1 \( -iname '*.pem' -o -iname '*.key' -o -iname '*.p12' -o -iname '*.pfx' -o -iname '*.ppk' \
    -o -iname '*.jks' -o -iname '*.kdbx' -o -iname '*.sql' -o -iname '*.sql.gz' -o -name 'id_rsa*' -o -name 'id_dsa*' \
    -o -name 'id_ecdsa*' -o -name 'id_ed25519*' -o -name .ssh -o -name .gnupg -o -name .aws -o -name .netrc \
    -o -name .git-credentials -o -iname '*service-account*.json' \) -prune -o ! -type l -exec chmod go+rX -- {} +
  ;;
targets)
  # Arguments: destination, temporary name. Standard input: names of unpacked files, each followed by NUL. Prints their
  # first 4096 bytes, one base64 line each. Exits with 28 if there is anything other than files and folders.
  enter "$1"
  require_unpacked "$2"
  enter_unpacked "$1" "$2"
  odd=$(find . ! -type f ! -type d -print -quit)
  [ -z "$odd" ] || exit 28
  # shellcheck disable=SC2016 # The inner shell expands it.
  xargs -0 -r sh -c 'for each do head -c 4096 -- "./$each" | base64 -w 0; echo; done' sh
  ;;
link)
  # Arguments: destination, temporary name. Standard input: pairs of name and target, each followed by NUL. Replaces the
  # file by a link, or deletes it if the target is empty. No name is a folder, so a path contains no linked folder.
  enter "$1"
  require_unpacked "$2"
  enter_unpacked "$1" "$2"
  # shellcheck disable=SC2016 # The inner shell expands it.
  xargs -0 -r -x -n 20 sh -c '
    while [ $# -gt 0 ]; do
      if [ -n "$2" ]; then ln -sfT -- "$2" "./$1" || exit 1; else rm -f -- "./$1" || exit 1; fi
      shift 2
    done' sh || exit 1
  ;;
usage)
  # Arguments: destination, temporary name. Prints the disk usage in bytes, and the number of inodes.
  enter "$1"
  du -s -B1 -- "./$2"
  du -s --inodes -- "./$2"
  ;;
compare)
  # Arguments: destination, temporary name, `links` if links were created, name and hash of the starter page. Prints
  # the page's name if an unpacked index file replaces it, then a record for each unpacked folder (d), file (f) and link
  # (l) that exists at the destination: letter, mode of the existing entry in hex, path. w: the existing folder is not
  # writable.
  enter "$1"
  lock_unpacked "$2"
  is_there "$2" || {
    delete_aside_pages "$2"
    exit 0
  }
  there=$PWD
  if [ "$3" = links ]; then links=l; else links=d; fi
  odd=$(find "./$2" ! -type f ! -type d ! -type "$links" -print -quit)
  [ -z "$odd" ] || exit 28
  own=$(find "./$2" -mindepth 1 -name '.berth-*' -print -quit)
  [ -z "$own" ] || exit 29
  find_replaced_starter "$2" "$4" "$5"
  printf '%s\0' "$starter"
  enter_unpacked "$1" "$2"
  # Some file systems report a full disk only at sync. Checks that before existing files are replaced.
  sync -f . || exit 1
  for kind in d f l; do
    find . -mindepth 1 -type "$kind" -printf './%P\0' |
      (cd -P -- "$there" && exec xargs -0 -r stat --printf "$kind%f %n\\0" --) 2> /dev/null
  done
  # shellcheck disable=SC2016 # The inner shell expands it.
  find . -mindepth 1 -type d -printf './%P\0' | (cd -P -- "$there" && exec xargs -0 -r sh -c '
    for each do [ ! -d "$each" ] || [ -w "$each" ] || printf "w0 %s\0" "$each"; done' sh)
  ;;
replace)
  # Arguments: destination, temporary name. Standard input: unpacked files that replace existing ones, each followed by
  # NUL. Renames each file, which replaces links and follows none.
  enter "$1"
  require_unpacked "$2"
  there=$PWD
  # shellcheck disable=SC2016 # The inner shell expands it.
  xargs -0 -r sh -c '
    there=$1 from=$2
    shift 2
    for each do
      case $each in */*) folder=/${each%/*} ;; *) folder= ;; esac
      name=${each##*/}
      cd -P -- "$there$folder" && [ "$PWD" = "$there$folder" ] || exit 255
      exec 4< .
      cd -P -- "$from$folder" && [ "$PWD" = "$from$folder" ] || exit 255
      mv -f -T -- "./$name" "/proc/self/fd/4/$name" || exit 255
    done' sh "$there" "$there/$2" || exit 1
  ;;
unpacked)
  # Moves unpacked files to the destination by renaming them, which follows no links. Arguments: destination,
  # temporary name, `replace` to replace existing files and links, name and hash of the starter page. Standard input:
  # folders that exist in the unpacked folder and at the destination, inner ones first, each followed by NUL. Prints
  # the name of a replaced starter page.
  enter "$1"
  require_unpacked "$2"
  there=$PWD
  if [ "$3" = replace ]; then how=-f; else how=-n; fi
  find_replaced_starter "$2" "$4" "$5"
  if [ -n "$starter" ]; then
    mv -T -- "./$starter" "./$2.$starter" || exit 1
    # Compares the moved page again, because another program may have replaced it after the first comparison.
    find_starter . "$2.$starter" "$5"
    if [ -z "$starter" ]; then
      mv -n -T -- "./$2.$4" "./$4"
      name=$4
      stop 39
    fi
    starter=$4
  fi
  # The last path is the destination itself. If a remaining entry's name exists at the destination, prints that name:
  # usually, another program created the name in the meantime.
  # shellcheck disable=SC2016 # The inner shell expands it.
  in_the_way=$({
    cat
    printf '.\0'
  } | xargs -0 sh -c '
    there=$1 from=$2 how=$3
    shift 3
    for each do
      if [ "$each" = . ]; then below=; else below=/$each; fi
      cd -P -- "$there$below" && [ "$PWD" = "$there$below" ] || exit 255
      exec 4< .
      cd -P -- "$from$below" && [ "$PWD" = "$from$below" ] || exit 255
      find . -mindepth 1 -maxdepth 1 -exec mv "$how" -t /proc/self/fd/4 -- {} +
      code=$?
      left=$(find . -mindepth 1 -maxdepth 1 -print -quit)
      if [ -n "$left" ]; then
        if [ -e "/proc/self/fd/4/$left" ] || [ -L "/proc/self/fd/4/$left" ]; then printf %s "$left"; fi
        exit 255
      fi
      moved=$PWD name=${PWD##*/}
      [ "$code" = 0 ] && cd -P .. && [ "$PWD/$name" = "$moved" ] && rmdir -- "./$name" || exit 255
    done' sh "$there" "$there/$2" "$how") || {
    name=${in_the_way#./}
    [ -z "$name" ] || stop 39
    exit 1
  }
  delete_aside_pages "$2"
  printf %s "$starter"
  ;;
drop)
  # Arguments: destination, temporary name. Deletes the unpacked folder and restores the starter page.
  enter "$1"
  lock_unpacked "$2"
  for each in index.html index.php; do
    if [ -e "./$2.$each" ]; then
      mv -n -T -- "./$2.$each" "./$each"
      rm -f -- "./$2.$each"
    fi
  done
  delete_tree "$2"
  ;;
*) exit 2 ;;
esac
