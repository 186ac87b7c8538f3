const SAFE_ARGUMENT_PATTERN = /^[A-Za-z0-9_/.,:@%+=-]+$/

/**
 * Returns one POSIX shell line with exactly these arguments. All other code passes lists of arguments, so only this
 * function turns a remote command into text.
 * @throws TypeError for an empty list or a NUL byte
 */
export function quoteForShell(argv: readonly string[]): string {
  assertArguments(argv)
  return argv.map(quoteOne).join(' ')
}

/**
 * Checks arguments.
 * @throws TypeError for an empty list or a NUL byte
 */
export function assertArguments(argv: readonly string[]): void {
  if (argv.length === 0 || argv[0] === '') throw new TypeError('A command needs a program to run')
  if (argv.some((argument) => argument.includes('\0'))) {
    throw new TypeError('A command argument cannot contain a NUL byte')
  }
}

function quoteOne(argument: string, index: number): string {
  // An unquoted first word with "=" would be an assignment.
  if (SAFE_ARGUMENT_PATTERN.test(argument) && !(index === 0 && argument.includes('=')))
    return argument
  return `'${argument.replaceAll("'", `'\\''`)}'`
}
