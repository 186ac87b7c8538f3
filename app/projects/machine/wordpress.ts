import { installPackages, machineSays, type Progress, run } from '#guest/public'
import {
  CONFIGURATION,
  FACTS_MARK,
  INSTALL,
  IS_OLD,
  LOOK,
  MEND,
  mendArguments,
  MOVE,
  PREPARE,
  PUBLISH,
  PUT_ADDRESS,
  SCHEDULE,
  stageOf,
} from '#projects/machine/wordpress_scripts'
import type { Machine } from '#packages/machine/main'

/** The first administrator of a site. */
export interface WordpressAdmin {
  user: string
  email: string
  password: string
}

/** A site's folder, and the name of its database and of that database's user: letters and digits. */
export interface WordpressPlace {
  folder: string
  database: string
}

/** WordPress as it says itself what it is. */
export interface InstalledWordpress {
  version: string
  /** The newest version on offer; null where it has that. */
  newest: string | null
  /** Plugins and themes that have updates. */
  plugins: number
  themes: number
  /** Whether the server of updates answered. */
  checked: boolean
}

const PACKAGES = [
  // Apache's own PHP module would turn its other workers off; php-fpm is there already.
  'wordpress',
  'php',
  // Without a theme every page is blank. The second one is what WordPress goes back to.
  'wordpress-theme-twentytwentyfive',
  'wordpress-theme-twentytwentyfour',
  // What its Site Health asks for beside what every PHP project has.
  'php-intl',
  'php-imagick',
]

const SCRIPT_TIMEOUT_MS = 300_000
const LOOK_TIMEOUT_MS = 60_000

/** The program that a step of `runScript` belongs to, in process lists. */
const NAME = 'berth-wordpress'

function runScript(machine: Machine, what: string, script: string, args: string[], stdin = '') {
  const argv = ['sh', '-c', script, NAME, ...args]
  return run(machine, what, argv, { user: 'root', stdin, timeout: SCRIPT_TIMEOUT_MS })
}

/** Runs PHP as the user that answers visitors. What is secret goes on standard input. */
function runPhp(
  machine: Machine,
  what: string,
  { program, input, timeout }: { program: string; input: object; timeout: number }
): Promise<string> {
  const user = ['--reuid=www-data', '--regid=www-data', '--clear-groups']
  const settings = ['-d', 'display_errors=stderr', '-d', 'memory_limit=256M']
  const argv = ['setpriv', ...user, 'php', ...settings, '-r', program]
  return run(machine, what, argv, { user: 'root', stdin: JSON.stringify(input), timeout })
}

/** Installs Debian's WordPress and themes, for sites to be copied from. */
async function installSoftware(machine: Machine, progress: Progress): Promise<void> {
  const without = ['libapache2-mod-php-']
  await installPackages(machine, 'WordPress could not be installed', progress, PACKAGES, without)
}

/**
 * Puts a WordPress with a database of its own into an empty folder. Its first administrator is in it
 * before any visitor reaches it. Can run again after being cut off anywhere.
 * @param url the address to begin with, where it has none of its own yet
 */
export async function installWordpress(
  machine: Machine,
  { folder, database }: WordpressPlace,
  { title, url, admin }: { title: string; url: string; admin: WordpressAdmin },
  progress: Progress
): Promise<void> {
  await installSoftware(machine, progress)
  const prepared = [folder, database]
  await runScript(machine, 'WordPress could not be copied', PREPARE, prepared, CONFIGURATION)
  // One that is in place already gets the administrator, too: the person was given the password.
  const inPlace = await isInPlace(machine, folder)
  await runPhp(machine, 'WordPress could not be set up', {
    program: INSTALL,
    input: { folder: inPlace ? folder : stageOf(database), title, url, ...admin },
    timeout: SCRIPT_TIMEOUT_MS,
  })
  await runScript(machine, 'WordPress could not be put into its folder', PUBLISH, prepared)
}

/** Whether all of WordPress is in a folder. */
export async function isInPlace(machine: Machine, folder: string): Promise<boolean> {
  const { code } = await machine.exec(['test', '-e', `${folder}/wp-load.php`], { cwd: '/' })
  return code === 0
}

/** Brings a WordPress of an earlier release up to what newer ones have from the start. */
export async function mendWordpress(
  machine: Machine,
  { folder, database }: WordpressPlace,
  progress: Progress
): Promise<void> {
  const isOld = await runScript(machine, 'WordPress could not be read', IS_OLD, [folder, database])
  if (!isOld) return
  await installSoftware(machine, progress)
  const args = mendArguments(folder)
  await runScript(machine, 'WordPress could not be brought up to date', MEND, args)
}

/**
 * Tells WordPress at which addresses it is reached, the first of which it uses itself. Leaves a
 * WordPress alone that Berth has not set up.
 */
export async function addressWordpress(
  machine: Machine,
  folder: string,
  urls: string[]
): Promise<void> {
  const words = 'WordPress could not be given its address'
  const isOurs = await runScript(machine, words, PUT_ADDRESS, [folder], renderAddress(urls))
  if (!isOurs) return
  const input = { folder, url: urls[0] }
  await runPhp(machine, words, { program: MOVE, input, timeout: SCRIPT_TIMEOUT_MS })
}

/**
 * The file that defines a site's address. A request chooses among the site's own addresses and can name no
 * other: links in mails would lead there.
 */
export function renderAddress(urls: string[]): string {
  const addresses = urls.map((url) => new URL(url))
  const hosts = addresses.map(({ host }) => `'${plain(host)}'`)
  // A program of the server itself came by no scheme.
  const scheme = plain(addresses[0]!.protocol.replace(':', ''))
  return `<?php
// Berth writes this file whenever the addresses of the site change. Changes made here are lost.
$berth_hosts = array( ${hosts.join(', ')} );
if ( ! in_array( strtolower( $_SERVER['HTTP_HOST'] ?? '' ), $berth_hosts, true ) ) {
	$_SERVER['HTTP_HOST'] = $berth_hosts[0];
}
$berth_scheme = ( $_SERVER['HTTPS'] ?? '' ) === 'on' ? 'https' : 'http';
if ( PHP_SAPI === 'cli' ) {
	$berth_scheme = '${scheme}';
}
define( 'WP_HOME', $berth_scheme . '://' . strtolower( $_SERVER['HTTP_HOST'] ) );
define( 'WP_SITEURL', WP_HOME );
`
}

/** Nothing else can stand between quotation marks of the file. */
function plain(text: string): string {
  if (!/^(?:[a-z0-9.:-]+|\[[a-f0-9:.]+\](?::[0-9]+)?)$/.test(text))
    throw new TypeError(`${text} is no part of an address`)
  return text
}

/** Begins or ends the scheduled tasks of a project's WordPress. */
export async function scheduleWordpress(
  machine: Machine,
  projectId: number,
  folder: string | null
): Promise<void> {
  const args = [`berth-wordpress-${projectId}`, folder ?? '']
  await runScript(machine, 'The scheduled tasks of WordPress were not changed', SCHEDULE, args)
}

/**
 * Asks WordPress what it is; null where its installer waits for somebody. Throws a refusal with its own
 * words where it does not start.
 */
export async function lookAtWordpress(
  machine: Machine,
  folder: string
): Promise<InstalledWordpress | null> {
  const words = 'WordPress does not start'
  const output = await runPhp(machine, words, {
    program: LOOK,
    input: { folder },
    timeout: LOOK_TIMEOUT_MS,
  })
  const line = output.split('\n').find((each) => each.startsWith(FACTS_MARK))
  if (!line) throw machineSays(words, output.slice(-2_000))
  return readFacts(line.slice(FACTS_MARK.length))
}

/** Reads what a customer's machine says, which may be anything. */
export function readFacts(text: string): InstalledWordpress | null {
  const facts = parsed(text)
  if (facts.installed !== true) return null
  const version = versionIn(facts.version)
  if (!version) throw machineSays('WordPress does not start', 'It names no version.')
  const count = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0)
  return {
    version,
    newest: versionIn(facts.newest),
    plugins: count(facts.plugins),
    themes: count(facts.themes),
    checked: typeof facts.checked === 'number',
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
