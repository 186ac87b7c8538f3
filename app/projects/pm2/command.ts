import { type ParseEntry, parse } from 'shell-quote'

const MAX_COMMAND_LENGTH = 1_000

/** Maximum number of arguments. The code that reads PM2's process list accepts no more. */
export const MAX_ARGUMENTS = 64

/** Placeholder in a command's arguments for the app's local port. */
const PORT_PLACEHOLDER = '$PORT'

/**
 * Program that starts the program of a command. PM2 itself would treat some programs as ids or
 * configuration files, and start others with Node.
 */
export const COMMAND_LAUNCHER = '/usr/bin/env'

/**
 * Matches text in which every opening quote has a closing one. The library that splits the command does not check
 * this.
 */
const BALANCED_PATTERN = /^(?:[^\\'"]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/

/** Matches the program of a command. Does not match options, variables and home folders (`~`), which need a shell. */
const PROGRAM_PATTERN = /^[^-~=\s][^=]*$/

/**
 * Splits a command into arguments. Returns null for an empty command, and for one that needs a shell: pipes,
 * `&&`, redirections, wildcards, or variables other than `$PORT`.
 */
export function parseCommand(line: string): string[] | null {
  const text = line.trim()
  if (text.length > MAX_COMMAND_LENGTH || /[\p{Cc}`]/u.test(text)) return null
  if (!BALANCED_PATTERN.test(text)) return null
  const entries: (ParseEntry | { variable: string })[] = parse(text, (variable) =>
    variable === 'PORT' ? PORT_PLACEHOLDER : { variable }
  )
  const argv = entries.filter((entry) => typeof entry === 'string')
  if (argv.length < entries.length || !PROGRAM_PATTERN.test(argv[0] ?? '')) return null
  return argv.length > MAX_ARGUMENTS ? null : argv
}

/** Returns the program and the arguments that PM2 starts. */
export function launchArgv(command: string[], port: number): string[] {
  const args = command.map((part) => part.replaceAll(PORT_PLACEHOLDER, String(port)))
  return [COMMAND_LAUNCHER, ...args]
}
