import { runCommand } from '#guest/public_effects'
import {
  SITE_FILE_LAST_LINE,
  SITE_FILE_FIRST_LINE_PREFIX,
} from '#projects/virtual_host/render_site'
import {
  APACHE_MODULES,
  APACHE_DEFAULT_SITE_CONFIG,
  EARLIER_DEFAULT_SITE_SHA256_SUMS,
  serverConfig,
  APACHE_TLS_PEM_PATH,
  APACHE_TLS_PORT,
} from '#packages/apache/main'
import type { TrustedEdge } from '#packages/apache/main'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const APPLY_SITE_SCRIPT = readScript(import.meta, 'apply_site.sh')

export interface SiteChange {
  /** Site file to write. Null: serve no site. */
  file: { name: string; text: string; port: number | null } | null
  /** Name of Berth's previous site file. */
  replaces: string | null
}

/**
 * If Apache rejects the site, restores the previous one. After an interruption, the next call restores it. The thrown
 * error contains the instance's message.
 * @returns whether a site that Apache served was removed
 */
export async function applySite(
  machine: Machine,
  { file, replaces }: SiteChange
): Promise<boolean> {
  const port = file?.port ? String(file.port) : ''
  const argv = [
    'sh',
    '-c',
    APPLY_SITE_SCRIPT,
    'berth-site',
    file?.name ?? '',
    replaces ?? '',
    port,
    SITE_FILE_FIRST_LINE_PREFIX,
    SITE_FILE_LAST_LINE,
  ]
  const output = await runCommand(
    machine,
    'The web server rejected the configuration, and nothing was changed',
    argv,
    {
      user: 'root',
      stdin: file?.text ?? '',
      timeout: 120_000,
    }
  )
  return output.trim() === 'removed'
}

const PREPARE_SERVER_SCRIPT = readScript(import.meta, 'prepare_server.sh')

/**
 * Makes Apache respond to unknown host names with 404, deny files with a leading dot, trust the edge and offer TLS to
 * it. Does nothing if it is already configured.
 * @returns whether the customer edited Debian's default site. That site then stays enabled, but serves only the host
 * names that it lists
 */
export async function prepareApache(machine: Machine, edge: TrustedEdge): Promise<boolean> {
  const texts = [
    APACHE_DEFAULT_SITE_CONFIG.trimEnd(),
    APACHE_MODULES.join(' '),
    EARLIER_DEFAULT_SITE_SHA256_SUMS.join(' '),
  ]
  const tls = [APACHE_TLS_PEM_PATH, String(APACHE_TLS_PORT)]
  const output = await runCommand(
    machine,
    'The web server rejected its configuration, and nothing was changed',
    ['sh', '-c', PREPARE_SERVER_SCRIPT, 'berth-server', ...texts, ...tls],
    { user: 'root', stdin: serverConfig(edge), timeout: 120_000 }
  )
  return output.trim() === 'kept'
}
