import type { SlowQuery } from '#databases/transformers/page_props'

export interface SlowRun {
  sql: string
  /** Duration in seconds. */
  took: number
  /** ISO 8601. */
  at: string
}

const MAX_STATEMENT_CHARACTERS = 1_000

/**
 * Matches comments and values to remove, also if truncated. Also matches quoted names, which stay, so that their
 * content is not parsed.
 */
const LITERALS_PATTERN = new RegExp(
  [
    String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
    String.raw`(?:--(?=\s|$)|#)[^\n]*`,
    String.raw`(?:\b(?:[xXbBnN]|_[a-z0-9]+))?'(?:[^'\\]|\\[\s\S]|\\$|'')*(?:'|$)`,
    String.raw`"(?:[^"\\]|\\[\s\S]|\\$|"")*(?:"|$)`,
    '`(?:[^`]|``)*(?:`|$)',
    String.raw`(?<![\w$.@])(?:0x[0-9a-f]+|\.?\d[\d.]*(?:e[+-]?\d+)?)(?![\w$])`,
  ].join('|'),
  'gi'
)

/** Returns the statement on one line, without comments, with `?` for each value and `(?, …)` for each list. */
export function normalizeStatement(sql: string): string {
  return sql
    .replace(LITERALS_PATTERN, (token) => {
      if (token.startsWith('`')) return token
      return /^(\/\*|--|#)/.test(token) ? ' ' : '?'
    })
    .replace(/\s+/g, ' ')
    .replace(/([=(,<>] ?)[-+] ?\?/g, '$1?')
    .replace(/\( ?\?(?: ?, ?\?)+ ?\)/g, '(?, …)')
    .replace(/(\((?:\?|\?, …)\))(?: ?, ?\((?:\?|\?, …)\))+/g, '$1, …')
    .trim()
    .replace(/;$/, '')
    .slice(0, MAX_STATEMENT_CHARACTERS)
}

export function groupSlowRuns(runs: Iterable<SlowRun>): SlowQuery[] {
  const statements = new Map<string, SlowQuery & { total: number }>()
  for (const { sql, took, at } of runs) {
    const statement = normalizeStatement(sql)
    const known = statements.get(statement) ?? {
      statement,
      count: 0,
      mean: 0,
      max: 0,
      last: at,
      total: 0,
    }
    known.count++
    known.total += took
    known.max = Math.max(known.max, took)
    if (at > known.last) known.last = at
    statements.set(statement, known)
  }
  return [...statements.values()]
    .sort((one, other) => other.total - one.total)
    .map(({ total, ...query }) => ({ ...query, mean: total / query.count }))
}
