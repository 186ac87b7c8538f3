import { installAptPackages, type ProgressReporter, runCommand } from '#guest/public'
import { phpSettingsOf, phpIniSettings } from '#projects/virtual_host/php_pool'
import type { Machine } from '#packages/machine/main'

// Debian names the Apache snippet of PHP-FPM after the PHP version. Enabling it again changes
// nothing. Standard input: PHP settings for sites without their own.
const ENABLE_PHP_SCRIPT = `set -e
settings=$(cat)
for folder in /etc/php/*/fpm/conf.d; do
  [ "$(cat "$folder/90-berth.ini" 2>/dev/null)" = "$settings" ] && continue
  printf '%s\\n' "$settings" > "$folder/90-berth.ini"
  version=\${folder#/etc/php/}
  systemctl reload-or-restart "php\${version%%/*}-fpm"
done
a2enmod -q proxy_fcgi setenvif
for file in /etc/apache2/conf-available/php*-fpm.conf; do a2enconf -q "$(basename "$file" .conf)"; done
apache2ctl configtest
systemctl start "$(ls /lib/systemd/system | grep -m 1 '^php.*-fpm.service$')"
systemctl reload-or-restart apache2`

const DEFAULT_PHP_SETTINGS = Object.entries(phpIniSettings(phpSettingsOf(null)))
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')

/** Installs PHP-FPM and connects Apache to it. Skips whatever is already installed. */
export async function installPhp(machine: Machine, progress: ProgressReporter): Promise<void> {
  await installAptPackages(machine, 'PHP could not be installed', progress, [
    'php-fpm',
    'php-mysql',
    'php-curl',
    'php-gd',
    'php-mbstring',
    'php-xml',
    'php-zip',
  ])
  await runCommand(machine, 'The web server could not load PHP', ['sh', '-c', ENABLE_PHP_SCRIPT], {
    user: 'root',
    stdin: DEFAULT_PHP_SETTINGS,
    timeout: 120_000,
  })
}
