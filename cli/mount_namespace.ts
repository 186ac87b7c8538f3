import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Runs a command in its own mount namespace. Covers a folder that other users may not enter (such as /root)
 * with an empty one, which contains only the needed paths. Arguments: the folder, the number of paths, the
 * paths, the command.
 */
const COVER_SCRIPT = `set -e
here=$(pwd) umask=$(umask) closed=$1 count=$2 stage=/run/berth-view
shift 2
umask 022
i=0
for path in "$@"; do
  [ $i -lt $count ] || break
  i=$((i + 1))
  mkdir -p "$stage/$i"
  mount --bind "$path" "$stage/$i"
done
mount -t tmpfs -o mode=0711,size=1m,nosuid,nodev berth "$closed"
i=0
while [ $i -lt $count ]; do
  i=$((i + 1))
  mkdir -p "$1"
  mount --bind "$stage/$i" "$1"
  umount "$stage/$i"
  shift
done
umask "$umask"
cd "$here"
exec "$@"`

/**
 * Returns a prefix for a command that runs as another user and needs these paths. Empty if other users can
 * reach them.
 */
export function mountNamespacePrefix(paths: string[]): string[] {
  const closed = new Map<string, Set<string>>()
  for (const path of paths) {
    const folder = closedAbove(path)
    if (folder) closed.set(folder, (closed.get(folder) ?? new Set()).add(path))
  }
  if (closed.size === 0) return []
  const covers = [...closed].flatMap(([folder, visiblePaths]) => {
    const outermost = [...visiblePaths].filter((path) => !isBelowAny(path, visiblePaths))
    return ['sh', '-c', COVER_SCRIPT, 'berth-view', folder, String(outermost.length), ...outermost]
  })
  return ['unshare', '--mount', '--propagation', 'slave', '--', ...covers]
}

/** Returns the first parent folder of a path that other users may not pass through. */
function closedAbove(path: string): string | undefined {
  const above: string[] = []
  for (let at = dirname(path); ; at = dirname(at)) {
    above.unshift(at)
    if (at === dirname(at)) break
  }
  return above.find((folder) => (statSync(folder).mode & 0o001) === 0)
}

function isBelowAny(path: string, others: Set<string>): boolean {
  return [...others].some((other) => path.startsWith(`${other}/`))
}
