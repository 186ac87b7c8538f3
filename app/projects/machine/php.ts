import { invalid } from '#core/app_error'
import { runCommand } from '#guest/public'
import {
  poolName,
  POOL_FILE_LAST_LINE,
  renderPool,
  poolSocket,
} from '#projects/virtual_host/php_pool'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'
import type { Machine } from '#packages/machine/main'

const PHP_VERSIONS_SCRIPT = `for file in /usr/sbin/php-fpm[0-9]*; do
  [ ! -x "$file" ] || echo "\${file#/usr/sbin/php-fpm}"
done | sort -rV`

/** Returns the PHP versions that are installed on an instance, newest first. */
export async function listInstalledPhpVersions(machine: Machine): Promise<string[]> {
  const output = await runCommand(
    machine,
    'The PHP versions could not be read',
    ['sh', '-c', PHP_VERSIONS_SCRIPT],
    {
      timeout: 30_000,
    }
  )
  return output.split('\n').filter((line) => /^\d+\.\d+$/.test(line))
}

/**
 * Arguments: PHP version, pool name, pool socket, expected last line. Standard input: the pool's
 * configuration file.
 */
const APPLY_POOL_SCRIPT = `set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
version=$1 pool=$2 socket=$3 end=$4
file=/etc/php/$version/fpm/pool.d/$pool.conf
exec 9>>/run/berth-php.lock
flock 9
say() { printf '%s\\n' "$*" >&2; }
take_in() { systemctl reload-or-restart "php$version-fpm" 2>&1; }
put_back() {
  if [ -e "$file.before" ]; then mv -f "$file.before" "$file"; else rm -f "$file"; fi
}

cat > "$file.new"
if [ "$(tail -n 1 "$file.new")" != "$end" ]; then
  rm -f "$file.new"
  say 'The PHP settings arrived incomplete.'
  exit 2
fi
if [ -S "$socket" ] && cmp -s "$file" "$file.new"; then rm -f "$file.new"; exit 0; fi
rm -f "$file.before"
[ ! -e "$file" ] || cp -p "$file" "$file.before"
mv -f "$file.new" "$file"
words=$("php-fpm$version" -t 2>&1) || { put_back; say "$words"; exit 3; }
words=$(take_in) || { put_back; take_in >/dev/null; say "$words"; exit 4; }
tries=0
until [ -S "$socket" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 150 ]; then
    put_back
    take_in >/dev/null
    say "PHP $version did not come up for this project."
    exit 5
  fi
  sleep 0.2
done
rm -f "$file.before"`

/** Arguments: pool name, and the PHP version that keeps the pool, or an empty string. */
const REMOVE_POOL_SCRIPT = `export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec 9>>/run/berth-php.lock
flock 9
for file in /etc/php/*/fpm/pool.d/"$1".conf; do
  version=\${file#/etc/php/}
  version=\${version%%/*}
  [ -e "$file" ] && [ "$version" != "$2" ] || continue
  rm -f "$file"
  ! systemctl is-active -q "php$version-fpm" || systemctl reload "php$version-fpm"
done`

/**
 * Configures the PHP-FPM pool of a project in the version that it selects, or the newest one.
 * Returns the version. If PHP rejects the settings, restores the previous ones.
 * @throws 422 for a version that is not installed
 */
export async function configurePhpPool(
  machine: Machine,
  projectId: number,
  host: VirtualHost
): Promise<string> {
  const installed = await listInstalledPhpVersions(machine)
  const version = host.php_version ?? installed[0]
  if (!version || !installed.includes(version)) {
    const installedText = installed.length
      ? `Installed: ${installed.join(', ')}.`
      : 'No PHP is installed.'
    throw invalid({
      php_version: `PHP ${version ?? ''} is not on this server instance. ${installedText}`,
    })
  }
  const pool = poolName(projectId)
  const argv = [
    'sh',
    '-c',
    APPLY_POOL_SCRIPT,
    'berth-php',
    version,
    pool,
    poolSocket(projectId, version),
  ]
  await runCommand(machine, 'PHP did not accept the settings', [...argv, POOL_FILE_LAST_LINE], {
    user: 'root',
    stdin: renderPool(projectId, version, host),
    timeout: 120_000,
  })
  return version
}

/** Removes a project's PHP-FPM pools, except the one in the version that serves it now. */
export async function removeOldPhpPools(
  machine: Machine,
  projectId: number,
  version: string | null
): Promise<void> {
  const argv = ['sh', '-c', REMOVE_POOL_SCRIPT, 'berth-php', poolName(projectId), version ?? '']
  await runCommand(machine, 'The project could not be removed from PHP', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
