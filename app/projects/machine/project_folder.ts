import { folderOf, commandFailed, runCommand, runAsOwner } from '#guest/public'
import type { Machine } from '#packages/machine/main'

const MAKE_FOLDER_SCRIPT = `set -e
mkdir -p -- "$1"
[ -z "$(ls -A -- "$1")" ] && echo empty || echo filled`

// A file that is there already is the customer's.
const PUT_FILE_SCRIPT = `set -e
cd -- "$1"
[ ! -e "$2" ] || exit 0
mkdir -p -- "$(dirname -- "$2")"
new=$(mktemp -u -- "$2.XXXXXXXX")
# Fails where somebody has put a link there, who may be another site in whose folder this one lies.
set -C
cat > "$new"
mv -fT -- "$new" "$2"`

/** Makes a project's folder; says whether nothing was in it. */
export async function makeFolder(machine: Machine, path: string): Promise<boolean> {
  const argv = ['sh', '-c', MAKE_FOLDER_SCRIPT, 'berth-folder', folderOf(path)]
  const words = await runAsOwner(machine, 'The folder could not be made', argv)
  return words.trim() === 'empty'
}

/** Writes a file into a project's folder unless there is one of its name. */
export async function writeNewFile(
  machine: Machine,
  path: string,
  name: string,
  text: string
): Promise<void> {
  const argv = ['sh', '-c', PUT_FILE_SCRIPT, 'berth-file', folderOf(path), name]
  await runAsOwner(machine, `${name} could not be written`, argv, { stdin: text })
}

// Asks as a visitor on the machine would. Arguments: address, host, the first status that is no answer.
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
 * Waits until a web address answers on the machine itself; returns the status of HTTP.
 * @param below statuses from here on are no answer: a server's own errors unless told
 */
export async function waitForAnswer(
  machine: Machine,
  url: string,
  { host = 'localhost', below = 500 }: { host?: string; below?: number } = {}
): Promise<number> {
  const argv = ['sh', '-c', HTTP_STATUS_SCRIPT, 'berth-ask', url, host, String(below)]
  const words = await runAsOwner(machine, 'It does not answer', argv, { timeout: 700_000 })
  return Number(words.trim())
}

const FREE_PORT_SCRIPT = `port=$1
while ss -Hltn "sport = :$port" | grep -q .; do port=$((port + 1)); done
echo "$port"`

/** The first port from `from` on that nothing listens on. */
export async function freePort(machine: Machine, from: number): Promise<number> {
  const argv = ['sh', '-c', FREE_PORT_SCRIPT, 'berth-port', String(from)]
  const port = Number(await runAsOwner(machine, 'No free port was found', argv))
  if (Number.isInteger(port) && port >= from && port < 65_536) return port
  throw commandFailed('No free port was found', '')
}

// Arguments: what to do, folder, number of the project, paths below the folder that belong to other projects. The
// web server and PHP run as `www-data`, whose access list entry overrides group and others. A previous entry of the
// folder is saved by the project's number, those of what lies in it by the folder.
const SHUT_FOLDER_SCRIPT = `set -eu
how=$1 folder=$2 kept=/var/lib/berth-shut/$3
shift 3
[ -d "$folder" ] || exit 0
cd -P -- "$folder"
inside=/var/lib/berth-shut/$(printf %s "$folder" | sha256sum | cut -c1-32).inside
entry_of() { getfacl -cp -- "$1" 2>/dev/null | sed -n 's/^user:www-data:\\([rwx-]*\\).*/\\1/p'; }
mkdir -p /var/lib/berth-shut

# Other projects inside stay reachable: shuts everything else beside the way to them.
shut_entries() {
  set -- "$@" --
  while [ "$1" != -- ]; do
    path=./$1
    shift
    set -- "$@" -path "$path" -prune -o
    while [ "\${path%/*}" != . ]; do
      path=\${path%/*}
      [ "$(entry_of "$path")" != --- ] || setfacl -x u:www-data "$path"
      set -- "$@" -path "$path" -o
    done
  done
  shift
  find . -mindepth 1 "$@" ! -type l -print0 -prune | xargs -0r sh -c '
    inside=$1
    shift
    for name; do
      entry=$(getfacl -cp -- "$name" 2>/dev/null | sed -n "s/^user:www-data:\\([rwx-]*\\).*/\\1/p")
      [ "$entry" != --- ] || continue
      printf "%s %s\\0" "$entry" "$name" >> "$inside"
      setfacl -m u:www-data:--- -- "$name" || :
    done' sh "$inside"
}

# The web server may write in some folders: it must not lead root elsewhere by a link.
open_entries() {
  xargs -0r sh -c '
    folder=$1
    shift
    for each; do
      entry=\${each%% *} name=\${each#* }
      [ ! -L "$name" ] || continue
      (
        [ -n "$entry" ] && cd -P -- "$name" && [ "$PWD" = "$folder/\${name#./}" ] &&
          setfacl -m "u:www-data:$entry" .
      ) 2>/dev/null || setfacl -x u:www-data -- "$name" 2>/dev/null || :
    done' sh "$folder" < "$inside"
  rm -f "$inside"
}

entry=$(entry_of .)
case $how in
shut)
  [ "$entry" != --- ] || exit 0
  [ -z "$entry" ] || printf '%s' "$entry" > "$kept"
  setfacl -m u:www-data:--- .
  exit 0
  ;;
pass) shut_entries "$@" ;;
*) [ ! -s "$inside" ] || open_entries ;;
esac
if [ "$entry" = --- ]; then
  # A folder that a link leads to is none that the entry was kept of.
  if [ -s "$kept" ] && [ "$PWD" = "$folder" ]; then setfacl -m "u:www-data:$(cat "$kept")" .
  else setfacl -x u:www-data .; fi
  rm -f "$kept"
fi`

/**
 * What the web server and PHP may read of a project's folder: everything (`open`), nothing (`shut`), or only the
 * folders of other projects inside it (`pass`).
 */
export type FolderAccess = 'open' | 'shut' | 'pass'

/**
 * Keeps the web server and PHP out of a project's folder, or lets them in again. A link in another project's
 * folder or a hand-written site then leads nowhere. The owner of the sites can still open the files.
 * @param inner paths of the other projects inside the folder, relative to it
 */
export async function setFolderAccess(
  machine: Machine,
  { id, path }: { id: number; path: string },
  access: FolderAccess,
  inner: string[]
): Promise<void> {
  const argv = [
    'sh',
    '-c',
    SHUT_FOLDER_SCRIPT,
    'berth-shut',
    access,
    folderOf(path),
    String(id),
    ...inner,
  ]
  await runCommand(machine, 'The folder could not be changed', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
