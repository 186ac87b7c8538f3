const ESCAPED_CHARACTERS: Record<string, string> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
  // No escapes of YAML, but of shells. People write them in values of Compose files too.
  $: '$',
  '`': '`',
}
const ESCAPE_PATTERN = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|\n[ \t]*|([^]?))/g

/**
 * Replaces the escapes of a YAML text in double quotes (YAML 1.2, section 5.7). Removes escaped line breaks with the
 * blanks after them. Other line breaks stay.
 * @returns the first unknown escape as `problem`
 */
export function unescapeYamlDoubleQuotes(text: string): { value: string } | { problem: string } {
  let problem: string | null = null
  const value = text.replace(
    ESCAPE_PATTERN,
    (escape: string, x?: string, u?: string, long?: string, character?: string) => {
      if (escape.startsWith('\\\n')) return ''
      const digits = x ?? u ?? long
      const code = digits === undefined ? null : Number.parseInt(digits, 16)
      const known =
        code === null
          ? ESCAPED_CHARACTERS[character ?? '']
          : code <= 0x10ffff
            ? String.fromCodePoint(code)
            : undefined
      if (known === undefined) problem ??= escape
      return known ?? escape
    }
  )
  return problem === null ? { value } : { problem }
}
