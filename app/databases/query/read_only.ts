import { invalid } from '#core/app_error'
import type { Engine } from '#databases/engines'

/** What a statement that only looks can begin with. */
const READ_KEYWORDS = new Set(
  'SELECT SHOW EXPLAIN DESCRIBE DESC WITH VALUES TABLE ANALYZE CHECKSUM HELP'.split(' ')
)

/** What a statement that changes can begin with, as far as the log names it. */
const WRITE_KEYWORDS = new Set(
  'ALTER BEGIN CALL COMMIT CREATE DELETE DO DROP EXECUTE GRANT HANDLER INSERT LOAD LOCK OPTIMIZE PREPARE RENAME REPAIR REPLACE REVOKE ROLLBACK SET START TRUNCATE UNLOCK UPDATE USE'.split(
    ' '
  )
)

/** Two words say more than one: `CREATE TABLE`. Names and values are never among them. */
const SECOND_KEYWORDS = new Set(
  'DATABASE EVENT FROM FUNCTION IGNORE INDEX INTO PROCEDURE SEQUENCE TABLE TABLES TEMPORARY TRIGGER UNIQUE USER VIEW'.split(
    ' '
  )
)

// `/*!` and `/*M!` are no comments: what stands in them is carried out.
const SKIPPED_PATTERN =
  /(?:\s|\(|#[^\n]*(?:\n|$)|--(?=\s|$)[^\n]*(?:\n|$)|\/\*(?!M?!)[\s\S]*?(?:\*\/|$))+/y
const WORD_PATTERN = /([A-Za-z]+)(?![\w$])/y

/**
 * The words that a statement begins with, in capitals, without comments and parentheses before them;
 * empty where they are none that are known: they name the statement in the audit log.
 */
export function leadingKeywords(sql: string): string {
  const first = wordAt(sql, 0)
  if (!first || !(READ_KEYWORDS.has(first.word) || WRITE_KEYWORDS.has(first.word))) return ''
  const second = wordAt(sql, first.end)
  return second && SECOND_KEYWORDS.has(second.word) ? `${first.word} ${second.word}` : first.word
}

/** Commands of MongoDB that change something, as the log names them. */
const MONGODB_WRITE_PATTERN =
  /^\s*\{\s*["']?(insert|update|delete|findAndModify|create|drop|createIndexes|dropIndexes|collMod)\b/

/** What the log says of a change: its first words, or the name of the command; never what follows. */
export function statementKind(engine: Engine, text: string): string {
  return engine === 'mysql' ? leadingKeywords(text) : (MONGODB_WRITE_PATTERN.exec(text)?.[1] ?? '')
}

/**
 * Refuses (422 at `sql`) what does not only look. The account that it runs by and its transaction are
 * the fence; this keeps a compound statement from ending that transaction, and says it in words first.
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

/** What belongs to whoever makes it, and works by their rights. */
const DEFINER_PATTERN =
  /^(?:CREATE|ALTER)\s+(?:OR\s+REPLACE\s+)?(?:[A-Z_]+\s*=\s*(?:`[^`]*`|'[^']*'|[^\s`'])+\s+|SQL\s+SECURITY\s+\w+\s+|AGGREGATE\s+)*(VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|PACKAGE)\b/i

/**
 * Refuses (422 at `sql`) what would belong to the account of this one query: that is taken away after
 * it, and whoever used the view or routine then would be told that its definer is not there.
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
