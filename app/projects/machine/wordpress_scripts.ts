import { SITE_OWNER_USER } from '#guest/public'

/*
 * Programs that run inside an instance: shell scripts as root, and PHP as the user that serves
 * visitors. So a site's code gains no rights when Berth runs it for its owner.
 */

/**
 * Folder in which root prepares files. Only root can write there. In a site's folder `www-data`
 * could place a link that leads root elsewhere. It is on the same file system as the web root, so
 * that a file can be moved in one step.
 */
const STAGE_FOLDER = '/var/lib/berth-wordpress'

/** The folder in which a copy of WordPress is prepared, so that no visitor can complete its installer. */
export const stagingFolder = (database: string) => `${STAGE_FOLDER}/${database}`

/**
 * Changes into the folder of a site, and stays there even if another folder takes its place.
 * Rejects links: `www-data` can replace a folder inside another site by a link.
 */
const ENTER_FUNCTION = `enter() {
  cd -P -- "$1" || exit 1
  [ "$PWD" = "$1" ] || { echo "$1 is reached by a link. Put the folder itself there." >&2; exit 1; }
}`

/**
 * Writes standard input to a file in the current folder. Replaces a link of that name instead of
 * following it. Arguments: name, mode.
 */
const PUT_FILE_FUNCTION = `put_file() {
  mkdir -p -m 0711 ${STAGE_FOLDER}
  new=$(mktemp ${STAGE_FOLDER}/new.XXXXXXXX)
  cat > "$new"
  chown ${SITE_OWNER_USER}:www-data "$new"
  chmod "$2" "$new"
  mv -fT -- "$new" "./$1"
}`

/** Loads the site's addresses, which Berth writes into a file next to the configuration. */
const LOAD_ADDRESS_PHP =
  "if ( is_readable( __DIR__ . '/wp-config-address.php' ) ) { require __DIR__ . '/wp-config-address.php'; }"

/** The end of a new `wp-config.php`. */
export const WP_CONFIG_END_PHP = `// A timer of the server runs scheduled tasks (systemctl list-timers 'berth-wordpress-*').
define( 'DISABLE_WP_CRON', true );
$table_prefix = 'wp_';
${LOAD_ADDRESS_PHP}
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`

/**
 * Lets PHP write everything in the current folder except the configuration, so that it can update
 * plugins, themes and WordPress. The site owner may also change what PHP writes. If the folder has
 * ACLs, their group entries decide, so the script sets those too.
 *
 * The script changes only files of the site owner, as that user and with PHP's group as its only
 * group. So a link that replaces a file meanwhile gives PHP no access.
 */
const OPEN_TO_PHP_FUNCTION = `open_to_php() {
  find . -xdev \\( -type d -o -type l -o -links 1 \\) -execdir chown -h ${SITE_OWNER_USER}:www-data -- {} +
  setpriv --reuid=${SITE_OWNER_USER} --regid=www-data --clear-groups sh -eu <<'OPEN'
mine="-xdev -user ${SITE_OWNER_USER} ! -path ./wp-config.php"
find . $mine \\( -type d -o -type f \\) -execdir chmod g+rwX -- {} +
find . $mine -type d -execdir chmod g+s -- {} +
command -v setfacl > /dev/null || exit 0
find . $mine -type d -execdir setfacl -m "g::rwX,d:g::rwX,d:u:${SITE_OWNER_USER}:rwX" -- {} +
find . $mine -type f -execdir setfacl -m g::rwX -- {} +
OPEN
}`

/** Rewrites page addresses to WordPress, and denies access to the configuration and its copies. */
const PUT_HTACCESS_FUNCTION = `put_htaccess() {
  put_file .htaccess 0664 <<'RULES'
<FilesMatch "^\\.?wp-config">
Require all denied
</FilesMatch>

# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . index.php [L]
</IfModule>
# END WordPress
RULES
}`

/**
 * Copies WordPress into a folder that only root can change, and creates its configuration and
 * database. Does nothing if WordPress is already installed. Arguments: folder, name of the database
 * and its user. Standard input: the end of the configuration.
 *
 * The script generates the database password and the keys. They are stored only in a file that its
 * owner and PHP can read, and are never passed as arguments.
 */
export const PREPARE_WORDPRESS_SCRIPT = `set -eu
export LC_ALL=C
name=$2 stage=${STAGE_FOLDER}/$2
${OPEN_TO_PHP_FUNCTION}
${PUT_HTACCESS_FUNCTION}
${PUT_FILE_FUNCTION}
secret() { head -c 48 /dev/urandom | base64 -w 0 | tr -d '+/='; }
line() { printf "define( '%s', '%s' );\\n" "$@"; }

[ ! -e "$1/wp-load.php" ] || exit 0
rm -rf -- "$stage"
mkdir -p -m 0711 ${STAGE_FOLDER}
mkdir -m 0700 -- "$stage"
# Debian's copy is made of links to folders that its own web server settings know, and its
# configuration looks for one file for each host name.
cp -RL /usr/share/wordpress/. "$stage/"
rm -f -- "$stage/wp-config.php" "$stage/.htaccess"
cd -- "$stage"
put_htaccess

password=$(secret)
(
  umask 077
  {
    echo '<?php'
    line DB_NAME "$name" DB_USER "$name" DB_PASSWORD "$password" DB_HOST localhost
    line DB_CHARSET utf8mb4 DB_COLLATE '' FS_METHOD direct
    for key in AUTH SECURE_AUTH LOGGED_IN NONCE; do
      line "\${key}_KEY" "$(secret)" "\${key}_SALT" "$(secret)"
    done
    cat
  } > wp-config.php
)
open_to_php
chown root:root .
chmod 0640 wp-config.php
mariadb <<SQL
create database if not exists $name character set utf8mb4;
create user if not exists $name@localhost;
alter user $name@localhost identified by '$password';
grant all privileges on $name.* to $name@localhost;
SQL
# From here on \`www-data\` can go in, to complete the installer; its top belongs to root.
chmod 0755 .`

/** Moves a prepared copy to its folder. Arguments: folder, name of the database. */
export const PUBLISH_WORDPRESS_SCRIPT = `set -eu
${ENTER_FUNCTION}
stage=${STAGE_FOLDER}/$2
[ -d "$stage" ] || exit 0
enter "$1"
chown ${SITE_OWNER_USER}:www-data .
chmod g+rwxs .
if command -v setfacl > /dev/null; then
  setfacl -m "g::rwx,d:g::rwx,d:u:${SITE_OWNER_USER}:rwx" .
fi
# wp-load.php comes last: it says that all of it is in place.
for entry in "$stage"/.htaccess "$stage"/* "$stage"/wp-load.php; do
  name=\${entry##*/}
  [ -e "$entry" ] || continue
  [ "$name" != wp-load.php ] || [ "$(ls "$stage")" = wp-load.php ] || continue
  rm -rf -- "./$name"
  mv -fT -- "$entry" "./$name"
done
rmdir -- "$stage"`

/** Prints `old` if an earlier release of Berth installed this WordPress. Arguments: folder, database. */
export const DETECT_OLD_SETUP_SCRIPT = `config=$1/wp-config.php
[ -f "$config" ] || exit 0
grep -qxF "define( 'DB_NAME', '$2' );" "$config" 2> /dev/null || exit 0
grep -qF wp-config-address.php "$config" || echo old`

/**
 * Upgrades an old WordPress. Adds a theme if it has none, rewrite rules for pages, write access for
 * updates, and addresses that follow the virtual host. Arguments: folder, line that loads the
 * addresses.
 */
export const UPDATE_OLD_SETUP_SCRIPT = `set -eu
${OPEN_TO_PHP_FUNCTION}
${PUT_HTACCESS_FUNCTION}
${PUT_FILE_FUNCTION}
${ENTER_FUNCTION}
enter "$1"
as_php() { setpriv --reuid=www-data --regid=www-data --clear-groups "$@"; }
open_to_php
[ -n "$(find wp-content/themes -mindepth 2 -name style.css -print -quit)" ] ||
  as_php cp -RL /usr/share/wordpress/wp-content/themes/. wp-content/themes/
[ -e .htaccess ] || put_htaccess
# Read by PHP's user: in place of the file may be a link to one that only root may read.
text=$(as_php awk -v line="$2" '{ print } /^\\$table_prefix = / { print line }' wp-config.php)
[ -n "$text" ]
printf '%s\\n' "$text" | put_file wp-config.php 0640`

export const updateOldSetupArguments = (folder: string) => [folder, LOAD_ADDRESS_PHP]

/**
 * Writes the file with the site's addresses if the configuration loads it, and then prints `ours`.
 * Argument: folder. Standard input: the file.
 */
export const WRITE_ADDRESS_FILE_SCRIPT = `set -eu
${PUT_FILE_FUNCTION}
${ENTER_FUNCTION}
[ -f "$1/wp-config.php" ] || exit 0
grep -qF wp-config-address.php "$1/wp-config.php" || exit 0
enter "$1"
put_file wp-config-address.php 0640
echo ours`

/**
 * Runs a site's scheduled tasks every five minutes, even without visits. Arguments: name of the
 * systemd units, and the folder, or an empty string to stop the tasks.
 */
export const SCHEDULE_SCRIPT = `set -eu
cd /etc/systemd/system
if [ -z "$2" ]; then
  [ -e "$1.timer" ] || exit 0
  systemctl -q disable --now "$1.timer"
  rm -f -- "$1.timer" "$1.service"
  systemctl daemon-reload
  exit 0
fi
cat > "$1.service" <<UNIT
[Unit]
Description=Scheduled tasks of WordPress in $2
After=mariadb.service
ConditionPathExists=$2/wp-cron.php

[Service]
Type=oneshot
User=www-data
Group=www-data
Nice=10
TimeoutStartSec=10min
ExecStart=/usr/bin/php -d memory_limit=256M $2/wp-cron.php
UNIT
cat > "$1.timer" <<UNIT
[Unit]
Description=Scheduled tasks of WordPress in $2

[Timer]
OnCalendar=*:0/5
RandomizedDelaySec=60

[Install]
WantedBy=timers.target
UNIT
systemctl daemon-reload
systemctl -q enable --now "$1.timer"`

/** Reads the input of the PHP programs below: JSON on standard input. */
const READ_INPUT_PHP = String.raw`$in = json_decode( stream_get_contents( STDIN ), true );
$_SERVER += array( 'HTTP_HOST' => 'localhost', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/' );
`

/**
 * Completes the installer of a prepared copy, so that no visitor can, and sets the administrator's
 * password. Input: folder, url, title, user, email, password.
 */
export const INSTALL_WORDPRESS_PHP_CODE = String.raw`${READ_INPUT_PHP}
define( 'WP_INSTALLING', true );
define( 'WP_HOME', $in['url'] );
define( 'WP_SITEURL', $in['url'] );
// WordPress would send its welcome mail before the owner has configured mail.
function wp_new_blog_notification() {}
require $in['folder'] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
// Blocks outgoing HTTP requests: the site is not served yet and cannot answer its own.
add_filter( 'pre_http_request', fn() => new WP_Error( 'offline', 'Not served yet' ) );
if ( ! is_blog_installed() ) {
	wp_install( $in['title'], $in['user'], $in['email'], true, '', wp_slash( $in['password'] ) );
}
$user = get_user_by( 'login', $in['user'] );
$id   = $user ? $user->ID : wp_insert_user(
	array( 'user_login' => $in['user'], 'user_email' => wp_slash( $in['email'] ), 'user_pass' => wp_slash( $in['password'] ), 'role' => 'administrator' )
);
if ( is_wp_error( $id ) ) {
	fwrite( STDERR, $id->get_error_message() );
	exit( 1 );
}
// WordPress adds slashes to submitted passwords before it compares them, so the stored one needs them too.
wp_set_password( wp_slash( $in['password'] ), $id );
update_option( 'permalink_structure', '/%postname%/' );
delete_option( 'rewrite_rules' );
`

/**
 * Stores a site's address in its database for exports and for programs that read it there. Replaces
 * the previous address in absolute links of the content. Loads neither themes nor plugins. Input:
 * folder, url.
 */
export const CHANGE_SITE_ADDRESS_PHP_CODE = String.raw`${READ_INPUT_PHP}
define( 'SHORTINIT', true );
require $in['folder'] . '/wp-load.php';

function berth_moved( $value, $pattern, $new ) {
	if ( is_array( $value ) ) {
		return array_map( fn( $each ) => berth_moved( $each, $pattern, $new ), $value );
	}
	if ( ! is_string( $value ) ) {
		return $value;
	}
	if ( ! is_serialized( $value ) ) {
		return preg_replace_callback(
			$pattern,
			fn( $found ) => str_contains( $found[0], '\/' ) ? str_replace( '/', '\/', $new ) : $new,
			$value
		) ?? $value;
	}
	// A plugin's object cannot be serialized again without the plugin, so it stays unchanged.
	$inner = preg_match( '/(^|;|{)[OC]:\d+:"/', $value ) ? false : @unserialize( $value, array( 'allowed_classes' => false ) );
	return false === $inner ? $value : serialize( berth_moved( $inner, $pattern, $new ) );
}

$new = $in['url'];
$old = $wpdb->get_var( "SELECT option_value FROM $wpdb->options WHERE option_name = 'home'" );
$host = preg_replace( '~^https?://~', '', (string) $old );
if ( '' !== $host && $old !== $new ) {
	$escaped = strtr( preg_quote( $host, '~' ), array( '/' => '\\\\?/' ) );
	$pattern = '~https?:\\\\?/\\\\?/' . $escaped . '(?![A-Za-z0-9-]|[.:][A-Za-z0-9])~';
	$parts   = array(
		array( $wpdb->posts, 'ID', 'post_content' ),
		array( $wpdb->posts, 'ID', 'post_excerpt' ),
		array( $wpdb->postmeta, 'meta_id', 'meta_value' ),
		array( $wpdb->termmeta, 'meta_id', 'meta_value' ),
		array( $wpdb->options, 'option_id', 'option_value' ),
	);
	// Slashes may be escaped in JSON, so only the part before the first slash is searched for.
	$like = '%' . $wpdb->esc_like( strtok( $host, '/' ) ) . '%';
	foreach ( $parts as list( $table, $key, $column ) ) {
		foreach ( $wpdb->get_col( $wpdb->prepare( "SELECT $key FROM $table WHERE $column LIKE %s", $like ) ) as $id ) {
			$was = $wpdb->get_var( $wpdb->prepare( "SELECT $column FROM $table WHERE $key = %d", $id ) );
			$is  = berth_moved( $was, $pattern, $new );
			if ( $is !== $was ) {
				$wpdb->update( $table, array( $column => $is ), array( $key => $id ) );
			}
		}
	}
}
foreach ( array( 'home', 'siteurl' ) as $name ) {
	$wpdb->update( $wpdb->options, array( 'option_value' => $new ), array( 'option_name' => $name ) );
}
// WordPress then shows links with https that were written before the site had a certificate.
$https = str_starts_with( $new, 'https:' ) ? '1' : '0';
$wpdb->replace( $wpdb->options, array( 'option_name' => 'https_migration_required', 'option_value' => $https, 'autoload' => 'on' ) );
wp_cache_flush();
`

/** Prefix of the output line with the result. Plugins may print other lines. */
export const RESULT_PREFIX = 'berth-wordpress:'

/**
 * Prints one line of JSON: version, newest available version, number of plugins and of themes with
 * updates. Asks wordpress.org at most every ten minutes. `checked` is null if it did not answer. If
 * the installer has not been completed, the line holds only `installed: false`. Input: folder.
 */
export const WORDPRESS_STATE_PHP_CODE = String.raw`${READ_INPUT_PHP}
// WordPress exits early if it is not installed.
register_shutdown_function(
	function () {
		if ( function_exists( 'is_blog_installed' ) && ! is_blog_installed() ) {
			echo "\n${RESULT_PREFIX}", '{"installed":false}', "\n";
		}
	}
);
require $in['folder'] . '/wp-load.php';
$checked = get_transient( 'berth_checked_updates' );
if ( false === $checked ) {
	$checked = 0;
	add_action(
		'http_api_debug',
		function ( $response, $context, $class, $args, $url ) use ( &$checked ) {
			if ( str_contains( $url, '/core/version-check/' ) && 200 === wp_remote_retrieve_response_code( $response ) ) {
				$checked = time();
			}
		},
		10,
		5
	);
	// Silences the warning when wordpress.org does not answer over TLS: the result reports that.
	set_error_handler( fn() => true, E_ALL );
	wp_version_check( array(), true );
	restore_error_handler();
	set_transient( 'berth_checked_updates', $checked, 10 * MINUTE_IN_SECONDS );
}
$newest = null;
foreach ( get_site_transient( 'update_core' )->updates ?? array() as $offer ) {
	if ( 'upgrade' === $offer->response && version_compare( $offer->current, $newest ?? $wp_version, '>' ) ) {
		$newest = $offer->current;
	}
}
$waiting = fn( $what ) => count( get_site_transient( $what )->response ?? array() );
echo "\n${RESULT_PREFIX}", wp_json_encode(
	array(
		'installed' => true,
		'version'   => $wp_version,
		'newest'    => $newest,
		'plugins'   => $waiting( 'update_plugins' ),
		'themes'    => $waiting( 'update_themes' ),
		'checked'   => $checked ? (int) $checked : null,
	)
), "\n";
`
