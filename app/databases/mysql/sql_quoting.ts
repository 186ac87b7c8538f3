/**
 * Quotes a name for statements without parameters (CREATE USER, GRANT, …).
 * @throws if the name contains NUL
 */

export function quoteName(name: string): string {
  if (name.includes('\0')) throw new Error('A name cannot contain the NUL character')
  return `\`${name.replaceAll('`', '``')}\``
}

/** Quotes text for connections of the administrator. In their sql_mode, a backslash is an escape character. */
export function quoteText(text: string): string {
  if (!/[\\\0\x1a]/.test(text)) return `'${text.replaceAll("'", "''")}'`
  return `'${text.replace(/[\\'\0\x1a]/g, (character) => escapes[character])}'`
}

const escapes: Record<string, string> = { '\\': '\\\\', "'": "''", '\0': '\\0', '\x1a': '\\Z' }

/** Escapes `_` and `%`, the wildcards of GRANT: `shop_1.*` would also match `shopA1`. */
export function grantPattern(database: string): string {
  return quoteName(database.replace(/[\\_%]/g, (character) => `\\${character}`))
}

export function unescapeGrantPattern(pattern: string): string {
  return pattern.replace(/\\([\\_%])/g, '$1')
}
