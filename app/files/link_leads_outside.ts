/**
 * Returns whether a link leads outside the folder. Allows `..` only at the beginning of the target,
 * where the parents are real folders. After the name of another link, `..` can lead anywhere.
 * @param segments the link's own path in the archive
 * @param only top-level names in the archive, or null for all
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
