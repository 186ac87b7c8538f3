import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readScript } from '../packages/machine/read_script.js'

const COVER_SCRIPT = readScript(import.meta, 'cover_folder.sh')

/**
 * Returns a command prefix that makes these paths accessible to a program of another user. Empty if all users can
 * access them already.
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

/** Returns the outermost parent folder that other users cannot enter. Undefined if they can enter all of them. */
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
