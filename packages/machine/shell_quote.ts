const SAFE_ARGUMENT_PATTERN = /^[A-Za-z0-9_/.,:@%+=-]+$/

/**
 * Quotes arguments as a command line for a POSIX shell. No other function converts a remote command to text: all other
 * code passes lists of arguments.
 * @throws TypeError for an empty list, an empty program name or a NUL byte
 */
export function quoteForShell(argv: readonly string[]): string {
  assertArguments(argv)
  return argv.map(quoteOne).join(' ')
}

/** @throws TypeError for an empty list, an empty program name or a NUL byte */
export function assertArguments(argv: readonly string[]): void {
  if (argv.length === 0 || argv[0] === '') throw new TypeError('A command needs a program to run')
  if (argv.some((argument) => argument.includes('\0'))) {
    throw new TypeError('A command argument cannot contain a NUL byte')
  }
}

function quoteOne(argument: string, index: number): string {
  // A shell would interpret an unquoted first word that contains "=" as an assignment.
  if (SAFE_ARGUMENT_PATTERN.test(argument) && !(index === 0 && argument.includes('=')))
    return argument
  return `'${argument.replaceAll("'", `'\\''`)}'`
}
