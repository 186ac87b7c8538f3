import { type ParseEntry, parse } from 'shell-quote'

const MAX_COMMAND_LENGTH = 1_000

/** Maximum number of arguments. The code that reads PM2's process list accepts no more. */
export const MAX_ARGUMENTS = 64

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

/**
 * Matches the program of a command. Does not match options, nor assignments (`NAME=value`) and home folders (`~`),
 * which need a shell.
 */
const PROGRAM_PATTERN = /^[^-~=\s][^=]*$/

/**
 * Returns null for a command that is empty or too long, has unbalanced quotes or control characters, or needs a shell:
 * pipes, `&&`, redirections, wildcards, or variables other than `$PORT`.
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

export function launchArgv(command: string[], port: number): string[] {
  const args = command.map((part) => part.replaceAll(PORT_PLACEHOLDER, String(port)))
  return [COMMAND_LAUNCHER, ...args]
}
