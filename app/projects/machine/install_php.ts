import { installAptPackages, type ProgressReporter, runCommand } from '#guest/public_effects'
import { phpSettingsOf, phpIniSettings } from '#projects/virtual_host/php_pool'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const ENABLE_PHP_SCRIPT = readScript(import.meta, 'enable_php.sh')

const DEFAULT_PHP_SETTINGS = Object.entries(phpIniSettings(phpSettingsOf(null)))
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')

/** Omits php-imagick, which has many dependencies. */
export async function installPhp(machine: Machine, progress: ProgressReporter): Promise<void> {
  await installAptPackages(machine, 'PHP could not be installed', progress, [
    'php-fpm',
    'php-bcmath',
    'php-curl',
    'php-gd',
    'php-gmp',
    'php-intl',
    'php-mbstring',
    'php-mysql',
    'php-soap',
    'php-sqlite3',
    'php-xml',
    'php-zip',
  ])
  await runCommand(machine, 'The web server could not load PHP', ['sh', '-c', ENABLE_PHP_SCRIPT], {
    user: 'root',
    stdin: DEFAULT_PHP_SETTINGS,
    timeout: 120_000,
  })
}
