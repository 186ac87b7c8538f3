const SAFE_ARGUMENT_PATTERN = /^[A-Za-z0-9_/.,:@%+=-]+$/

/**
 * Writes an argument list as one POSIX shell line that means exactly these arguments. This is the
 * only place where a remote command becomes text; everything else handles argument lists.
 * Throws a TypeError for what no command line can carry: an empty list or a NUL byte.
 */
export function quote(argv: readonly string[]): string {
  assertArguments(argv)
  return argv.map(quoteOne).join(' ')
}

/** Throws a TypeError unless these can be the arguments of a process. */
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
