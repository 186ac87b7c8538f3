import type { ProcessProblem } from '#projects/transformers/page_props'

const RECENT_MS = 3_600_000
const MAX_QUOTE_LENGTH = 300

type Explanation = Omit<ProcessProblem, 'lines'>

/**
 * Finds the newest error of the last hour with a known solution.
 * @param lines Apache's error log, oldest first
 * @param now the machine's local time, as `2026-11-28T13:05:00`
 */
export function findSiteProblem(lines: string[], now: string): ProcessProblem | null {
  const since = Date.parse(`${now}Z`) - RECENT_MS
  for (const line of lines.toReversed()) {
    const time = timeOf(line)
    if (time === null || !(time >= since)) continue
    const message = line.replace(/^(?:\[[^\]]*\] )+/, '')
    const problem = htaccessProblem(message) ?? phpProblem(message) ?? proxyProblem(message)
    if (problem) return { ...problem, lines: [line] }
  }
  return null
}

/** Returns the time of a log line in ms. Ignores time zones, because log lines and `now` have the same one. */
function timeOf(line: string): number | null {
  const [, month, day, clock, year] =
    /^\[\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? (\d{4})\]/.exec(line) ?? []
  const time = Date.parse(`${day} ${month} ${year} ${clock} UTC`)
  return Number.isNaN(time) ? null : time
}

function htaccessProblem(message: string): Explanation | null {
  const [, file, reason] = /^(\/.*?\/\.htaccess): (.*)$/.exec(message) ?? []
  if (!file || !reason) return null
  const command = /^Invalid command '([^']*)'/.exec(reason)?.[1]
  if (!command)
    return {
      words: `The web server does not accept ${file}: ${quote(reason)}`,
      next: 'Correct the line or remove it from the file.',
    }
  if (!/^php_(?:admin_)?(?:value|flag)$/i.test(command))
    return {
      words: `${file} has the command ${quote(command)}, which the web server does not know.`,
      next: 'Correct the command or remove it from the file.',
    }
  return {
    words: `${file} sets PHP options with ${command}, which works only where PHP runs inside Apache.`,
    next: 'Remove these lines from the file. Write the options to a file .user.ini in the same folder, for example: memory_limit = 256M. Or set them under VH Setup.',
  }
}

function phpProblem(message: string): Explanation | null {
  const error = /^.*PHP (?:Fatal|Parse|Recoverable fatal) error: +(.*)$/.exec(message)?.[1] ?? ''
  const [, reason, file, line] = /^(.*?) in (\/.{1,300}?)(?: on line |:)(\d+)/.exec(error) ?? []
  if (!reason || !file) return null
  const words = `PHP stopped in ${file}, line ${line}: ${quote(reason)}`
  if (reason.startsWith('Allowed memory size'))
    return { words, next: 'Increase PHP Memory Limit under VH Setup, or use less memory.' }
  if (reason.startsWith('Maximum execution time'))
    return { words, next: 'Increase PHP Time Limit under VH Setup, or do less in one request.' }
  return { words, next: 'Correct the file, then load the page again.' }
}

function proxyProblem(message: string): Explanation | null {
  const address = /AH00957: \w+: attempt to connect to (\S+) /.exec(message)?.[1]
  if (!address) return null
  return {
    words: `The web server passes requests to ${quote(address)}, but nothing listens there.`,
    next: 'Start the app, or correct its port under VH Setup.',
  }
}

function quote(text: string): string {
  return text.slice(0, MAX_QUOTE_LENGTH)
}
