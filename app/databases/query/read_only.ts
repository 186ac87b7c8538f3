import { invalid } from '#core/app_error'
import type { Engine } from '#databases/engines'

const READ_KEYWORDS = new Set(
  'SELECT SHOW EXPLAIN DESCRIBE DESC WITH VALUES TABLE ANALYZE CHECKSUM HELP'.split(' ')
)

/** Other first words that the audit log may contain. */
const WRITE_KEYWORDS = new Set(
  'ALTER BEGIN CALL COMMIT CREATE DELETE DO DROP EXECUTE GRANT HANDLER INSERT LOAD LOCK OPTIMIZE PREPARE RENAME REPAIR REPLACE REVOKE ROLLBACK SET START TRUNCATE UNLOCK UPDATE USE'.split(
    ' '
  )
)

/** Second words that are added to the first in the audit log: `CREATE TABLE`. */
const SECOND_KEYWORDS = new Set(
  'DATABASE EVENT FROM FUNCTION IGNORE INDEX INTO PROCEDURE SEQUENCE TABLE TABLES TEMPORARY TRIGGER UNIQUE USER VIEW'.split(
    ' '
  )
)

// Skips white space, comments and parentheses, but not `/*!` and `/*M!`, whose content servers execute.
const SKIPPED_PATTERN =
  /(?:\s|\(|#[^\n]*(?:\n|$)|--(?=\s|$)[^\n]*(?:\n|$)|\/\*(?!M?!)[\s\S]*?(?:\*\/|$))+/y
const WORD_PATTERN = /([A-Za-z]+)(?![\w$])/y

/**
 * Returns the statement's first keyword and a known second one, in upper case, for the audit log. Skips comments
 * and parentheses before them. Returns '' for unknown keywords.
 */
export function leadingKeywords(sql: string): string {
  const first = wordAt(sql, 0)
  if (!first || !(READ_KEYWORDS.has(first.word) || WRITE_KEYWORDS.has(first.word))) return ''
  const second = wordAt(sql, first.end)
  return second && SECOND_KEYWORDS.has(second.word) ? `${first.word} ${second.word}` : first.word
}

/** Commands that change data. Their names are written to the audit log. */
const MONGODB_WRITE_PATTERN =
  /^\s*\{\s*["']?(insert|update|delete|findAndModify|create|drop|createIndexes|dropIndexes|collMod)\b/

/** Returns keywords or the command name for the audit log, never names or values. */
export function statementKind(engine: Engine, text: string): string {
  return engine === 'mysql' ? leadingKeywords(text) : (MONGODB_WRITE_PATTERN.exec(text)?.[1] ?? '')
}

/**
 * Checks that a statement begins with a keyword that reads. The actual protection is the temporary user's rights and
 * the read-only transaction. This check prevents a compound statement from ending the transaction, and gives a clear
 * message.
 * @throws 422 at `sql` if the statement begins with another word
 */
export function assertReadOnly(sql: string): void {
  const word = wordAt(sql, 0)?.word ?? ''
  if (READ_KEYWORDS.has(word)) return
  throw invalid({
    sql: word
      ? `${word} is not allowed in read-only mode (SELECT, SHOW, EXPLAIN, DESCRIBE, WITH, VALUES). Nothing was run. Turn off Read-only to run it.`
      : 'Begin with the statement itself, such as SELECT. Nothing was run.',
  })
}

const DEFINER_PATTERN =
  /^(?:CREATE|ALTER)\s+(?:OR\s+REPLACE\s+)?(?:[A-Z_]+\s*=\s*(?:`[^`]*`|'[^']*'|[^\s`'])+\s+|SQL\s+SECURITY\s+\w+\s+|AGGREGATE\s+)*(VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|PACKAGE)\b/i

/**
 * Rejects statements that create an object with a definer. The definer would be the temporary user of this query.
 * After its deletion, the object would fail.
 * @throws 422 at `sql`
 */
export function assertCreatesNoDefinerObject(sql: string): void {
  SKIPPED_PATTERN.lastIndex = 0
  const head = sql.slice(SKIPPED_PATTERN.test(sql) ? SKIPPED_PATTERN.lastIndex : 0, 2_000)
  const what = DEFINER_PATTERN.exec(head)?.[1].toLowerCase()
  if (!what) return
  throw invalid({
    sql: `Nothing was run. Create a ${what} with a user of this database, or import it. It would belong to the temporary user of this query, who is deleted afterwards.`,
  })
}

function wordAt(sql: string, from: number): { word: string; end: number } | null {
  SKIPPED_PATTERN.lastIndex = from
  const at = SKIPPED_PATTERN.test(sql) ? SKIPPED_PATTERN.lastIndex : from
  WORD_PATTERN.lastIndex = at
  const match = WORD_PATTERN.exec(sql)
  return match && { word: match[1].toUpperCase(), end: WORD_PATTERN.lastIndex }
}
