import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Migrations after this one must keep the previous release working (decision 0050). `./berth upgrade` checks neither
 * this migration nor earlier ones.
 */
export const FIRST_ADDITIVE_MIGRATION = '0198_monitoring'

const BREAKING_CHANGES: { what: string; matches: RegExp }[] = [
  { what: 'drops a table', matches: /\bdrop\s+table\b|\.dropTable(IfExists)?\(/i },
  { what: 'drops a column', matches: /\bdrop\s+column\b|\.dropColumns?\(/i },
  { what: 'drops a view', matches: /\bdrop\s+(materialized\s+)?view\b|\.dropView/i },
  { what: 'drops a function', matches: /\bdrop\s+function\b/i },
  { what: 'drops a schema', matches: /\bdrop\s+schema\b|\.dropSchema/i },
  { what: 'renames', matches: /\brename\s+(to|column|constraint)\b|\.rename(Table|Column)\(/i },
  { what: 'changes a type', matches: /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b|\.alter\(/i },
  { what: 'requires a value', matches: /\bset\s+not\s+null\b|\.dropNullable\(/i },
  { what: 'removes a default', matches: /\bdrop\s+default\b/i },
  { what: 'revokes a right', matches: /\brevoke\b/i },
  { what: 'empties a table', matches: /\btruncate\b|\.truncate\(/i },
]

/**
 * Matches `add column`. If the column is `not null` without a default, the previous release could not insert rows,
 * because it does not set the column.
 */
const NEW_COLUMN_PATTERN =
  /\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?[\w"]+\s+(?!constraint)([^,;)`]*)/gi
/** A call of the schema builder. */
const ALTER_TABLE_PATTERN = /\.alterTable\(([\s\S]*?)\n {4}\}\)/g
const CONTRACT_PATTERN = /export\s+const\s+contract\s*=\s*['"`]([\w-]+)['"`]/

/** `breaks`: the ways in which a migration may break the code of earlier releases. */
export interface MigrationCheck {
  name: string
  breaks: string[]
  /**
   * Name of an earlier migration, which a migration that removes something sets (`export const contract = '0201_…'`).
   * Releases that contain the earlier migration no longer use the removed part.
   */
  contract?: string
}

/**
 * Finds changes that break earlier releases by keywords. It cannot find all of them, such as a constraint that earlier
 * code violates. The authors of migrations must check these.
 */
export function checkMigration(name: string, text: string): MigrationCheck {
  const up = withoutComments(upOf(text))
  const breaks = BREAKING_CHANGES.filter(({ matches }) => matches.test(up)).map(({ what }) => what)
  const columns = [...up.matchAll(NEW_COLUMN_PATTERN)].map(([, rest]) => rest)
  const builders = [...up.matchAll(ALTER_TABLE_PATTERN)].flatMap(([, body]) => body.split('\n'))
  const demanding = [
    ...columns.filter((rest) => /\bnot\s+null\b/i.test(rest) && !hasValue(rest)),
    ...builders.filter((line) => /\.notNullable\(/.test(line) && !/\.defaultTo\(/.test(line)),
  ]
  if (demanding.length) breaks.push('adds a column that older code does not fill')
  return { name, breaks, contract: CONTRACT_PATTERN.exec(text)?.[1] }
}

const hasValue = (column: string) => /\bdefault\b|\bgenerated\b/i.test(column)

/** Returns the text before the method `down`. Includes constants above the class, because `up` may use them. */
function upOf(text: string): string {
  const down = /\n\s*(?:async\s+)?down\s*\(/.exec(text)
  return down ? text.slice(0, down.index) : text
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s`'"])(\/\/|--).*$/gm, '')
}

/** Returns the reasons why a release with the migrations `has` cannot work after the checked migrations have run. */
export function listBreakingChanges(judged: MigrationCheck[], has: ReadonlySet<string>): string[] {
  return judged
    .filter(({ breaks }) => breaks.length)
    .flatMap(({ name, breaks, contract }) => {
      if (!contract) return [`${name} ${breaks.join(', ')}`]
      // A release without the migration `contract` still uses the part that this migration removes.
      if (!has.has(contract)) return [`${name} needs a release that contains ${contract} first`]
      return []
    })
}

export async function checkMigrations(folder: string, names: string[], ending: string) {
  return Promise.all(
    names.map(async (name) =>
      checkMigration(name, await readFile(join(folder, name + ending), 'utf8'))
    )
  )
}
