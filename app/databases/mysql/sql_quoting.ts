/** How names and texts stand in statements that take no parameters (CREATE USER, GRANT, …). */

/** A name of a database, table or column. */
export function quoteName(name: string): string {
  if (name.includes('\0')) throw new Error('A name cannot contain the NUL character')
  return `\`${name.replaceAll('`', '``')}\``
}

/** A text, for an administrator's connection (`connect`), whose mode reads backslashes. */
export function quoteText(text: string): string {
  if (!/[\\\0\x1a]/.test(text)) return `'${text.replaceAll("'", "''")}'`
  return `'${text.replace(/[\\'\0\x1a]/g, (character) => escapes[character])}'`
}

const escapes: Record<string, string> = { '\\': '\\\\', "'": "''", '\0': '\\0', '\x1a': '\\Z' }

/**
 * A database in a GRANT, where `_` and `%` are wildcards: `GRANT ON shop_1.*` would reach `shopA1` as well.
 */
export function grantPattern(database: string): string {
  return quoteName(database.replace(/[\\_%]/g, (character) => `\\${character}`))
}

/** The name that a GRANT stands for, as `mysql.db` keeps it. */
export function unescapeGrantPattern(pattern: string): string {
  return pattern.replace(/\\([\\_%])/g, '$1')
}
