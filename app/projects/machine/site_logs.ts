import { runCommand, stripTerminalCodes } from '#guest/public_effects'
import { findSiteProblem } from '#projects/machine/site_problems'
import type { SiteLogs } from '#projects/transformers/page_props'
import { siteLogNames } from '#projects/virtual_host/render_site'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const READ_SITE_LOGS_SCRIPT = readScript(import.meta, 'read_site_logs.sh')

const APACHE_LOG_FOLDER = '/var/log/apache2'

/** Read from the end of each log. */
const MAX_BYTES = 256 * 1024
const MAX_LINES = 200
const MAX_LINE_LENGTH = 2_000

/**
 * Stands between the access log and the error log in the script's output. No line of an access log equals it, because
 * each begins with an IP address.
 */
const SECTION_DIVIDER = '--berth--'

/** Reads the site's logs as root, because otherwise only the group `adm` may read Apache's logs. */
export async function readSiteLogs(machine: Machine, projectId: number): Promise<SiteLogs> {
  const { access, errors } = siteLogNames(projectId)
  const argv = [
    'sh',
    '-c',
    READ_SITE_LOGS_SCRIPT,
    'berth-logs',
    `${APACHE_LOG_FOLDER}/${access}`,
    `${APACHE_LOG_FOLDER}/${errors}`,
    SECTION_DIVIDER,
    String(MAX_BYTES),
    String(MAX_LINES),
  ]
  const output = await runCommand(machine, 'The logs cannot be read', argv, {
    user: 'root',
    timeout: 20_000,
  })
  return parseSiteLogs(output)
}

const LOCAL_TIME_LENGTH = '2026-11-28T13:05:00'.length

/** Parses a UTC offset such as `+0530`, as `date +%z` prints it. Returns minutes, or 0 for other text. */
export function parseUtcOffset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(text.trim()) ?? []
  if (!sign) return 0
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
}

export function parseSiteLogs(output: string): SiteLogs {
  const divider = `\n${SECTION_DIVIDER}\n`
  const end = output.indexOf(divider)
  const [now = '', ...access] = linesOf(output.slice(0, end))
  const errors = linesOf(output.slice(end + divider.length))
  const problem = findSiteProblem(errors, now.slice(0, LOCAL_TIME_LENGTH))
  return { access, errors, problem, utc_offset: parseUtcOffset(now.slice(LOCAL_TIME_LENGTH)) }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => stripTerminalCodes(line).slice(0, MAX_LINE_LENGTH))
}
