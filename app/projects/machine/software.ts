import { follow, run } from '#projects/machine/run'
import type { Machine } from '#packages/machine/main'

interface Progress {
  signal: AbortSignal
  tell: (line: string) => Promise<void>
}

const APT = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'a' }
const apt = (...rest: string[]) => ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', ...rest]

// php-fpm's snippet is named by its version; enabling what is enabled changes nothing.
const ENABLE_PHP = `set -e
a2enmod -q proxy_fcgi setenvif
for file in /etc/apache2/conf-available/php*-fpm.conf; do a2enconf -q "$(basename "$file" .conf)"; done
apache2ctl configtest
systemctl start "$(ls /lib/systemd/system | grep -m 1 '^php.*-fpm.service$')"
systemctl reload-or-restart apache2`

/** Installs PHP behind Apache unless it is there. */
export async function installPhp(machine: Machine, progress: Progress): Promise<void> {
  if (!(await isInstalled(machine, 'php-fpm'))) {
    await installPackages(machine, 'PHP could not be installed', progress, [
      ...['php-fpm', 'php-mysql', 'php-curl', 'php-gd', 'php-mbstring', 'php-xml', 'php-zip'],
    ])
  }
  await run(machine, 'The web server did not take PHP', ['sh', '-c', ENABLE_PHP], {
    user: 'root',
    timeout: 120_000,
  })
}

// Debian's copy is made of links to folders that its own web server settings know; a site of its own
// is a copy of the files, without the configuration that looks for one file for each host name.
const COPY_WORDPRESS = `set -e
[ ! -e "$1/wp-load.php" ] || exit 0
rm -rf -- "$1/.berth-wordpress"
mkdir -p -- "$1/.berth-wordpress"
cp -RL /usr/share/wordpress/. "$1/.berth-wordpress/"
rm -f -- "$1/.berth-wordpress/wp-config.php" "$1/.berth-wordpress/.htaccess"
chown -R www-data:www-data -- "$1/.berth-wordpress/wp-content"
cd -- "$1/.berth-wordpress"
for entry in *; do [ "$entry" = wp-load.php ] || mv -f -- "$entry" ..; done
mv -f wp-load.php ..
cd ..
rmdir .berth-wordpress`

/** Installs Debian's WordPress into a folder that has none; it then shows its install page. */
export async function installWordpress(
  machine: Machine,
  folder: string,
  progress: Progress
): Promise<void> {
  if (!(await isInstalled(machine, 'wordpress'))) {
    // Apache's own PHP module would turn its other workers off; php-fpm is there already.
    await installPackages(machine, 'WordPress could not be installed', progress, [
      ...['wordpress', 'php', 'libapache2-mod-php-'],
    ])
  }
  await run(
    machine,
    'WordPress could not be copied',
    ['sh', '-c', COPY_WORDPRESS, 'berth-wordpress', folder],
    { user: 'root', timeout: 300_000 }
  )
}

async function isInstalled(machine: Machine, name: string): Promise<boolean> {
  const argv = ['dpkg-query', '-W', '-f', '${db:Status-Status}', name]
  const { code, stdout } = await machine.exec(argv, { cwd: '/', timeout: 30_000 })
  return code === 0 && stdout.toString() === 'installed'
}

async function installPackages(
  machine: Machine,
  what: string,
  progress: Progress,
  names: string[]
): Promise<void> {
  const steps = [apt('update'), apt('install', '-y', '--no-install-recommends', ...names)]
  for (const argv of steps) {
    await follow(machine, what, argv, { env: APT, owner: false, timeout: 900_000, ...progress })
  }
}
