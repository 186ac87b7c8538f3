/**
 * Whether a symbolic link would lead out of the folder that it is kept in, wherever that is put. Its target may
 * climb only at its beginning, where what it climbs are folders and no links: after the name of another link, `..`
 * is not where it seems to be.
 * @param segments the link's own path in that folder
 * @param only the names at the top of it that come along; null for all of them
 */
export function linkLeadsOutside(
  segments: string[],
  target: string,
  only: Set<string> | null = null
): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return true
  const steps = target.split('/').filter((step) => step !== '' && step !== '.')
  const climbs = steps.findIndex((step) => step !== '..')
  const up = climbs === -1 ? steps.length : climbs
  const below = steps.slice(up)
  const folder = segments.slice(0, -1)
  if (up > folder.length || below.includes('..')) return true
  const [first] = [...folder.slice(0, folder.length - up), ...below]
  return only !== null && (first === undefined || !only.has(first))
}
