import { absoluteWebPath, commandFailed, runCommand, runAsOwner } from '#guest/public'
import type { Machine } from '#packages/machine/main'

const MAKE_FOLDER_SCRIPT = `set -e
mkdir -p -- "$1"
[ -z "$(ls -A -- "$1")" ] && echo empty || echo filled`

// Arguments: folder, file name. Standard input: the file. Never overwrites an existing file,
// because it is the customer's.
const PUT_FILE_SCRIPT = `set -e
cd -- "$1"
[ ! -e "$2" ] || exit 0
mkdir -p -- "$(dirname -- "$2")"
new=$(mktemp -u -- "$2.XXXXXXXX")
# Fails where somebody has put a link there, who may be another site in whose folder this one lies.
set -C
cat > "$new"
mv -fT -- "$new" "$2"`

/** Creates a project's folder. Returns whether it is empty. */
export async function ensureProjectFolder(machine: Machine, path: string): Promise<boolean> {
  const argv = ['sh', '-c', MAKE_FOLDER_SCRIPT, 'berth-folder', absoluteWebPath(path)]
  const output = await runAsOwner(machine, 'The folder could not be created', argv)
  return output.trim() === 'empty'
}

/** Writes a file into a project's folder unless a file of that name exists. */
export async function writeNewFile(
  machine: Machine,
  path: string,
  name: string,
  text: string
): Promise<void> {
  const argv = ['sh', '-c', PUT_FILE_SCRIPT, 'berth-file', absoluteWebPath(path), name]
  await runAsOwner(machine, `${name} could not be written`, argv, { stdin: text })
}

// Requests the site from inside the machine until it answers. Arguments: URL, host name, first HTTP
// status that does not count as an answer.
const HTTP_STATUS_SCRIPT = `tries=0
until code=$(curl -s -o /dev/null -m 10 -w '%{http_code}' -H "Host: $2" "$1") && [ "$code" -lt "$3" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then
    [ "\${code:-000}" = 000 ] && code='nothing: no server listens there, or it is busy'
    echo "The last answer was $code." >&2
    exit 1
  fi
  sleep 0.5
done
echo "$code"`

/**
 * Waits until a URL answers on the machine itself. Returns the HTTP status.
 * @param below first status that does not count as an answer. Default 500, which excludes server
 *   errors.
 */
export async function waitForHttpAnswer(
  machine: Machine,
  url: string,
  { host = 'localhost', below = 500 }: { host?: string; below?: number } = {}
): Promise<number> {
  const argv = ['sh', '-c', HTTP_STATUS_SCRIPT, 'berth-ask', url, host, String(below)]
  const output = await runAsOwner(machine, 'The site does not respond', argv, { timeout: 700_000 })
  return Number(output.trim())
}

const FREE_PORT_SCRIPT = `port=$1
while ss -Hltn "sport = :$port" | grep -q .; do port=$((port + 1)); done
echo "$port"`

/** Returns the first port from `from` on which nothing listens. */
export async function findFreePort(machine: Machine, from: number): Promise<number> {
  const argv = ['sh', '-c', FREE_PORT_SCRIPT, 'berth-port', String(from)]
  const port = Number(await runAsOwner(machine, 'No free port was found', argv))
  if (Number.isInteger(port) && port >= from && port < 65_536) return port
  throw commandFailed('No free port was found', '')
}

// Arguments: access, folder, project id, paths of other projects below the folder. The web server
// and PHP run as `www-data`, whose ACL entry overrides group and others. The script saves the
// folder's previous ACL entry by project id, and those of files below it by folder.
const FOLDER_ACCESS_SCRIPT = `set -eu
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
  kept=$kept.\${inside##*/}
fi

entry_of() { getfacl -cp -- "$1" 2>/dev/null | sed -n 's/^user:www-data:\\([rwx-]*\\).*/\\1/p'; }

# Opens a path below the folder as file descriptor 3. PHP may replace any part of the path with a link at any time:
# checks the real path after opening, and the caller changes the open file, never the path.
opened=/proc/self/fd/3
open_path() {
  [ -f "$1" ] || [ -d "$1" ] || return 1
  { exec 3< "$1"; } 2>/dev/null || return 1
  [ "$(readlink -n $opened; echo .)" = "$real/\${1#./}." ]
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
    while [ "$path" != "\${path%/*}" ]; do
      path=\${path%/*}
      parents+=(-path "./$path" -o)
      is_in "$path" "$@" || remove_denial "./$path"
    done
  done
  find . -mindepth 1 "\${projects[@]}" "\${parents[@]}" '(' -type d -o -type f ')' -print0 -prune |
    while IFS= read -rd '' name; do
      open_path "$name" || continue
      entry=$(entry_of $opened)
      [ "$entry" != --- ] || continue
      printf '%s %s\\0' "$entry" "$name" >> "$inside"
      setfacl -m u:www-data:--- $opened || :
    done
}

open_entries() {
  local line entry
  while IFS= read -rd '' line; do
    entry=\${line%% *}
    open_path "\${line#* }" || continue
    if [ -n "$entry" ]; then setfacl -m "u:www-data:$entry" $opened
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
  # A later project in this folder must not restore entries by name.
  [ ! -s "$inside" ] || open_entries
  rm -f -- "$kept"
  exit 0
  ;;
pass) shut_entries "$@" ;;
open) [ ! -s "$inside" ] || open_entries ;;
esac
# An outer project's call may have removed the denial already.
if [ -s "$kept" ]; then setfacl -m "u:www-data:$(cat "$kept")" .
# A link may lead to another closed project: opens only what this project closed.
elif [ "$entry" = --- ] && { [ "$real" = "$folder" ] || [ -e "$kept" ]; }; then setfacl -x u:www-data .; fi
rm -f -- "$kept"`

/**
 * Access of the web server and PHP to a project's folder. `open`: everything. `shut`: nothing.
 * `pass`: only the folders of other projects inside it. `delete`: nothing, and the saved ACL
 * entries are removed.
 */
export type FolderAccess = 'open' | 'shut' | 'pass' | 'delete'

/**
 * Denies the web server and PHP access to a project's folder, or allows it again. This also covers
 * links from another project's folder and sites written by hand. The owner can still open the
 * files.
 * @param inner paths of the other projects inside the folder, relative to it
 */
export async function setFolderAccess(
  machine: Machine,
  { id, path }: { id: number; path: string },
  access: FolderAccess,
  inner: string[]
): Promise<void> {
  const argv = [
    'bash',
    '-c',
    FOLDER_ACCESS_SCRIPT,
    'berth-shut',
    access,
    absoluteWebPath(path),
    String(id),
    ...inner,
  ]
  await runCommand(machine, 'The folder could not be changed', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
