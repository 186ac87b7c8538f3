import { installPackages, OWNER, type Progress, run } from '#guest/public'
import { phpFactsOf, phpSettings } from '#projects/virtual_host/php'
import type { Machine } from '#packages/machine/main'

// php-fpm's snippet is named by its version; enabling what is enabled changes nothing. Standard
// input: settings of sites that have none of their own.
const ENABLE_PHP = `set -e
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

const USUAL_SETTINGS = Object.entries(phpSettings(phpFactsOf(null)))
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')

/** Installs PHP behind Apache unless it is there. */
export async function installPhp(machine: Machine, progress: Progress): Promise<void> {
  await installPackages(machine, 'PHP could not be installed', progress, [
    ...['php-fpm', 'php-mysql', 'php-curl', 'php-gd', 'php-mbstring', 'php-xml', 'php-zip'],
  ])
  await run(machine, 'The web server did not take PHP', ['sh', '-c', ENABLE_PHP], {
    user: 'root',
    stdin: USUAL_SETTINGS,
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
chown -R ${OWNER}:www-data -- "$1/.berth-wordpress"
chmod -R g+rwX -- "$1/.berth-wordpress/wp-content"
find "$1/.berth-wordpress/wp-content" -type d -exec chmod g+s {} +
# Where the web root has an access list, its entry for the group is what counts.
if command -v setfacl >/dev/null; then setfacl -R -m g::rwX,d:g::rwX -- "$1/.berth-wordpress/wp-content"; fi
cd -- "$1/.berth-wordpress"
for entry in *; do [ "$entry" = wp-load.php ] || mv -f -- "$entry" ..; done
mv -f wp-load.php ..
cd ..
rmdir .berth-wordpress`

/**
 * Arguments: folder, name of the database and of its user. Standard input: the end of the
 * configuration. Its password is made here and stays here: in a file that only its owner and PHP
 * can read, and on its way to the server in no argument. A configuration of somebody else's is left
 * alone.
 */
const CONNECT_WORDPRESS = `set -eu
export LC_ALL=C
config=$1/wp-config.php name=$2
secret() { head -c 48 /dev/urandom | base64 -w 0 | tr -d '+/='; }
line() { printf "define( '%s', '%s' );\\n" "$@"; }

if [ ! -e "$config" ]; then
  umask 077
  {
    echo '<?php'
    line DB_NAME "$name" DB_USER "$name" DB_PASSWORD "$(secret)" DB_HOST localhost
    line DB_CHARSET utf8mb4 DB_COLLATE '' FS_METHOD direct
    for key in AUTH SECURE_AUTH LOGGED_IN NONCE; do
      line "\${key}_KEY" "$(secret)" "\${key}_SALT" "$(secret)"
    done
    cat
  } > "$1/.wp-config.berth-new"
  mv -f -- "$1/.wp-config.berth-new" "$config"
fi
grep -qxF "$(line DB_NAME "$name")" "$config" || exit 0
chown ${OWNER}:www-data -- "$config"
chmod 0640 -- "$config"
password=$(sed -n "s/^define( 'DB_PASSWORD', '\\([A-Za-z0-9]*\\)' );$/\\1/p" "$config")
mariadb <<SQL
create database if not exists $name character set utf8mb4;
create user if not exists $name@localhost;
alter user $name@localhost identified by '$password';
grant all privileges on $name.* to $name@localhost;
SQL`

// TLS ends at the edge, which tells so; without it WordPress would lead visitors back and forth.
const WORDPRESS_SETTINGS = `$table_prefix = 'wp_';
if ( ( $_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '' ) === 'https' ) {
	$_SERVER['HTTPS'] = 'on';
}
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`

/**
 * Installs Debian's WordPress into a folder that has none and gives it a database of its own on the
 * machine, so that it shows its install page. Can run again after being cut off anywhere.
 * @param database letters and digits
 */
export async function installWordpress(
  machine: Machine,
  { folder, database }: { folder: string; database: string },
  progress: Progress
): Promise<void> {
  // Apache's own PHP module would turn its other workers off; php-fpm is there already.
  await installPackages(
    machine,
    'WordPress could not be installed',
    progress,
    ['wordpress', 'php'],
    ['libapache2-mod-php-']
  )
  await run(
    machine,
    'WordPress could not be copied',
    ['sh', '-c', COPY_WORDPRESS, 'berth-wordpress', folder],
    { user: 'root', timeout: 300_000 }
  )
  await run(
    machine,
    'WordPress could not be given its database',
    ['sh', '-c', CONNECT_WORDPRESS, 'berth-wordpress', folder, database],
    { user: 'root', stdin: WORDPRESS_SETTINGS, timeout: 120_000 }
  )
}
