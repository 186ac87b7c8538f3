import type { FilterReport, FilterFinding } from '#databases/mysql/transfer/sql_filter'

const MAX_KINDS_NAMED = 20

export function buildImportNotes(report: FilterReport | undefined): string[] {
  if (!report) return []
  const where = ({ what, count, line }: FilterFinding) =>
    count === 1 ? `${what} (line ${line})` : `${what} (${count} times, first in line ${line})`
  const leftOut = report.findings.filter(({ why }) => why !== undefined)
  const changes = report.findings.filter(({ why }) => why === undefined)
  const notes = changes.map(where)
  if (leftOut.length > 0) {
    const total = leftOut.reduce((sum, { count }) => sum + count, 0)
    const named = leftOut.slice(0, MAX_KINDS_NAMED).map(where)
    const others = leftOut.length - named.length
    if (others > 0)
      named.push(`and ${others} other ${others === 1 ? 'kind' : 'kinds'} of statements`)
    const reasons = [...new Set(leftOut.map(({ why }) => why))].join(' ')
    const statements = total === 1 ? '1 statement' : `${total} statements`
    notes.unshift(`This import skipped ${statements}: ${named.join(', ')}. ${reasons}`)
  }
  if (report.unlisted > 0) notes.push(`${report.unlisted} more changes of other kinds`)
  return notes
}
