import { commandFailed } from '#guest/public'
import {
  installAptPackages,
  type ProgressReporter,
  runCommand,
  SITE_OWNER_USER,
} from '#guest/public_effects'
import {
  WP_CONFIG_END_PHP,
  RESULT_PREFIX,
  INSTALL_WORDPRESS_PHP_CODE,
  DETECT_OLD_SETUP_SCRIPT,
  WORDPRESS_STATE_PHP_CODE,
  UPDATE_OLD_SETUP_SCRIPT,
  updateOldSetupArguments,
  CHANGE_SITE_ADDRESS_PHP_CODE,
  PREPARE_WORDPRESS_SCRIPT,
  PUBLISH_WORDPRESS_SCRIPT,
  WRITE_ADDRESS_FILE_SCRIPT,
  SCHEDULE_SCRIPT,
  STAGE_FOLDER,
  stagingFolder,
} from '#projects/machine/wordpress_scripts'
import type { Machine } from '#packages/machine/main'

export interface WordpressAdmin {
  user: string
  email: string
  password: string
}

/** Database name and user name are the same, and have only letters and digits. */
export interface WordpressLocation {
  folder: string
  database: string
}

export interface InstalledWordpress {
  version: string
  /**
   * Newest available version; null if the installed version is the newest, or the check for updates never succeeded.
   */
  newest: string | null
  plugins: number
  themes: number
  /** Whether wordpress.org responded to the check for updates. */
  checked: boolean
}

const WORDPRESS_PACKAGES = [
  // PHP-FPM is installed already, so these two packages do not install Apache's PHP module, which would disable
  // Apache's threaded worker module.
  'wordpress',
  'php',
  // Without a theme every page is blank. Two themes are installed, because WordPress falls back to the second one.
  'wordpress-theme-twentytwentyfive',
  'wordpress-theme-twentytwentyfour',
  // WordPress's Site Health recommends it. Other PHP projects do not have it.
  'php-imagick',
]

const SCRIPT_TIMEOUT_MS = 300_000
const SITE_STATE_TIMEOUT_MS = 60_000

const SCRIPT_NAME = 'berth-wordpress'

function runScript(machine: Machine, what: string, script: string, args: string[], stdin = '') {
  const argv = ['sh', '-c', script, SCRIPT_NAME, STAGE_FOLDER, SITE_OWNER_USER, ...args]
  return runCommand(machine, what, argv, { user: 'root', stdin, timeout: SCRIPT_TIMEOUT_MS })
}

/** Runs PHP as the user that serves the site. Passes secrets on standard input. */
function runPhp(
  machine: Machine,
  what: string,
  { program, input, timeout }: { program: string; input: object; timeout: number }
): Promise<string> {
  const user = ['--reuid=www-data', '--regid=www-data', '--clear-groups']
  const settings = ['-d', 'display_errors=stderr', '-d', 'memory_limit=256M']
  const argv = ['setpriv', ...user, 'php', ...settings, '-r', program]
  return runCommand(machine, what, argv, { user: 'root', stdin: JSON.stringify(input), timeout })
}

/** Each site gets a copy of the package's files. */
async function installSoftware(machine: Machine, progress: ProgressReporter): Promise<void> {
  const without = ['libapache2-mod-php-']
  await installAptPackages(
    machine,
    'WordPress could not be installed',
    progress,
    WORDPRESS_PACKAGES,
    without
  )
}

/**
 * Installs WordPress into an empty folder. Creates the administrator before a visitor can reach the site. Idempotent.
 * @param url the address that WordPress stores until `setWordpressAddresses` sets another one
 */
export async function installWordpress(
  machine: Machine,
  { folder, database }: WordpressLocation,
  { title, url, admin }: { title: string; url: string; admin: WordpressAdmin },
  progress: ProgressReporter
): Promise<void> {
  await installSoftware(machine, progress)
  const prepared = [folder, database]
  await runScript(
    machine,
    'WordPress could not be copied',
    PREPARE_WORDPRESS_SCRIPT,
    prepared,
    WP_CONFIG_END_PHP
  )
  // If WordPress is already installed, sets the administrator's password again, because Berth has already shown the
  // password to the user.
  const isComplete = await isWordpressComplete(machine, folder)
  await runPhp(machine, 'WordPress could not be set up', {
    program: INSTALL_WORDPRESS_PHP_CODE,
    input: { folder: isComplete ? folder : stagingFolder(database), title, url, ...admin },
    timeout: SCRIPT_TIMEOUT_MS,
  })
  await runScript(
    machine,
    'WordPress could not be moved into its folder',
    PUBLISH_WORDPRESS_SCRIPT,
    prepared
  )
}

export async function isWordpressComplete(machine: Machine, folder: string): Promise<boolean> {
  const { code } = await machine.exec(['test', '-e', `${folder}/wp-load.php`], { cwd: '/' })
  return code === 0
}

/** Does nothing unless an earlier release of Berth installed this WordPress. */
export async function upgradeOldWordpressSetup(
  machine: Machine,
  { folder, database }: WordpressLocation,
  progress: ProgressReporter
): Promise<void> {
  const isOld = await runScript(machine, 'WordPress could not be read', DETECT_OLD_SETUP_SCRIPT, [
    folder,
    database,
  ])
  if (!isOld) return
  await installSoftware(machine, progress)
  const args = updateOldSetupArguments(folder)
  await runScript(machine, 'WordPress could not be updated', UPDATE_OLD_SETUP_SCRIPT, args)
}

/**
 * Sets the site's addresses; the first one is the main address. Does nothing if Berth did not install this WordPress.
 */
export async function setWordpressAddresses(
  machine: Machine,
  folder: string,
  urls: string[]
): Promise<void> {
  const failure = 'The address of WordPress could not be set'
  const isOurs = await runScript(
    machine,
    failure,
    WRITE_ADDRESS_FILE_SCRIPT,
    [folder],
    renderWordpressAddressFile(urls)
  )
  if (!isOurs) return
  const input = { folder, url: urls[0] }
  await runPhp(machine, failure, {
    program: CHANGE_SITE_ADDRESS_PHP_CODE,
    input,
    timeout: SCRIPT_TIMEOUT_MS,
  })
}

/**
 * A request with another Host header counts as one for the main address, so that attackers cannot put their own host
 * name into links in emails.
 */
export function renderWordpressAddressFile(urls: string[]): string {
  const addresses = urls.map((url) => new URL(url))
  const hosts = addresses.map(({ host }) => `'${plain(host)}'`)
  // Used if PHP runs on the command line, where there is no request that has a scheme.
  const scheme = plain(addresses[0]!.protocol.replace(':', ''))
  return `<?php
// Berth writes this file whenever the addresses of the site change. Changes made here are lost.
$berth_hosts = array( ${hosts.join(', ')} );
if ( ! in_array( strtolower( $_SERVER['HTTP_HOST'] ?? '' ), $berth_hosts, true ) ) {
	$_SERVER['HTTP_HOST'] = $berth_hosts[0];
}
// The Message-ID of mails is made of it.
$_SERVER['SERVER_NAME'] = preg_replace( '/:[0-9]+$/', '', strtolower( $_SERVER['HTTP_HOST'] ) );
$berth_scheme = ( $_SERVER['HTTPS'] ?? '' ) === 'on' ? 'https' : 'http';
if ( PHP_SAPI === 'cli' ) {
	$berth_scheme = '${scheme}';
}
define( 'WP_HOME', $berth_scheme . '://' . strtolower( $_SERVER['HTTP_HOST'] ) );
define( 'WP_SITEURL', WP_HOME );
`
}

/** Throws if the text is not safe inside a quoted PHP string. */
function plain(text: string): string {
  if (!/^(?:[a-z0-9.:-]+|\[[a-f0-9:.]+\](?::[0-9]+)?)$/.test(text))
    throw new TypeError(`${text} is not allowed in an address`)
  return text
}

/** `folder` null: stops the scheduled tasks. */
export async function setWordpressSchedule(
  machine: Machine,
  projectId: number,
  folder: string | null
): Promise<void> {
  const args = [`berth-wordpress-${projectId}`, folder ?? '']
  await runScript(
    machine,
    'The scheduled tasks of WordPress were not changed',
    SCHEDULE_SCRIPT,
    args
  )
}

/**
 * Null until WordPress's installer has run.
 * @throws AppError with PHP's output if WordPress does not start
 */
export async function inspectWordpress(
  machine: Machine,
  folder: string
): Promise<InstalledWordpress | null> {
  const failure = 'WordPress does not start'
  const output = await runPhp(machine, failure, {
    program: WORDPRESS_STATE_PHP_CODE,
    input: { folder },
    timeout: SITE_STATE_TIMEOUT_MS,
  })
  const line = output.split('\n').find((each) => each.startsWith(RESULT_PREFIX))
  if (!line) throw commandFailed(failure, output.slice(-2_000))
  return parseInstalledWordpress(line.slice(RESULT_PREFIX.length))
}

/**
 * Validates the output, because the customer controls the instance. Returns null unless the output says that WordPress
 * is installed.
 * @throws if it says so without a version
 */
export function parseInstalledWordpress(text: string): InstalledWordpress | null {
  const installed = parsed(text)
  if (installed.installed !== true) return null
  const version = versionIn(installed.version)
  if (!version)
    throw commandFailed('WordPress does not start', 'The output of WordPress contains no version.')
  const count = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0)
  return {
    version,
    newest: versionIn(installed.newest),
    plugins: count(installed.plugins),
    themes: count(installed.themes),
    checked: typeof installed.checked === 'number',
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function versionIn(value: unknown): string | null {
  return typeof value === 'string' && /^\d[\w.+-]{0,40}$/.test(value) ? value : null
}
