import type { SiteMachine } from '#tests/support/site_machine'

/** Version of WordPress that the fake repository offers as an update. */
export const OFFERED_VERSION = '6.99.1'

/**
 * Address from AS112's range, which serves no websites. WordPress does not download from private or reserved
 * addresses.
 */
const REPOSITORY_ADDRESS = '192.31.196.80'

/**
 * Serves api.wordpress.org inside an instance, with an update of WordPress, a plugin and a theme. WordPress itself is
 * not modified: the name resolves by `/etc/hosts`.
 */
export async function serveWordpressRepository(
  machine: Pick<SiteMachine, 'incus' | 'system' | 'inside'>
): Promise<void> {
  const { incus, system, inside } = machine
  await incus.instances.pushFile(system, '/root/repository.php', REPOSITORY_PHP, { mode: '0644' })
  const made = await inside(
    'sh',
    '-c',
    MAKE_REPOSITORY_SCRIPT,
    'repository',
    REPOSITORY_ADDRESS,
    OFFERED_VERSION
  )
  if (made.exitCode !== 0) throw new Error(made.errors)
}

/** Blocks api.wordpress.org, as some providers do. */
export async function blockWordpressOrg({ inside }: Pick<SiteMachine, 'inside'>): Promise<void> {
  await inside('sh', '-c', "echo '127.0.0.1 api.wordpress.org' >> /etc/hosts")
}

/** Script with the arguments: IP address, offered WordPress version. */
const MAKE_REPOSITORY_SCRIPT = String.raw`set -eu
root=/srv/repository
rm -rf "$root"
mkdir -p "$root/site" "$root/berth-plugin" "$root/berth-theme"
cp -RL /usr/share/wordpress "$root/wordpress"
rm -f "$root/wordpress/wp-config.php" "$root/wordpress/.htaccess"
sed -i "s/^\$wp_version = .*/\$wp_version = '$2';/" "$root/wordpress/wp-includes/version.php"
cat > "$root/berth-plugin/berth-plugin.php" <<'PLUGIN'
<?php
/* Plugin Name: Berth Plugin
 * Version: 1.0 */
add_filter( 'the_content', fn( $text ) => $text . '<p>The plugin answers.</p>' );
PLUGIN
printf '/*\nTheme Name: Berth Theme\nVersion: 1.0\n*/\n' > "$root/berth-theme/style.css"
cat > "$root/berth-theme/index.php" <<'THEME'
<!doctype html><title><?php bloginfo( 'name' ); ?></title><?php wp_head(); ?>
<h1>The second theme answers.</h1>
<?php while ( have_posts() ) { the_post(); the_content(); } wp_footer();
THEME
cd "$root"
for name in wordpress berth-plugin berth-theme; do zip -q -0 -r "site/$name.zip" "$name"; done
rm -rf wordpress berth-plugin berth-theme
echo "<?php const OFFERED = '$2';" > site/offered.php
cp /root/repository.php site/index.php
cat > /etc/apache2/sites-available/repository.conf <<'SITE'
<VirtualHost *:80>
ServerName api.wordpress.org
DocumentRoot /srv/repository/site
<Directory /srv/repository/site>
Require all granted
FallbackResource /index.php
</Directory>
</VirtualHost>
SITE
ip address replace "$1/32" dev lo
sed -i '/api.wordpress.org/d' /etc/hosts
echo "$1 api.wordpress.org" >> /etc/hosts
a2ensite -q repository
apache2ctl graceful`

/** The parts of https://codex.wordpress.org/WordPress.org_API that WordPress uses. */
const REPOSITORY_PHP = String.raw`<?php
require __DIR__ . '/offered.php';
$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
$asked = $_REQUEST['request'] ?? array();
$thing = fn( $slug, $name ) => array(
	'slug' => $slug, 'name' => $name, 'version' => '1.0', 'author' => 'Berth', 'requires' => '5.0',
	'tested' => '9.0', 'requires_php' => '7.0', 'rating' => 100, 'num_ratings' => 1, 'active_installs' => 10,
	'last_updated' => '2026-11-01 1:00pm GMT', 'short_description' => $name, 'description' => $name,
	'sections' => array( 'description' => $name ), 'icons' => array( 'default' => '' ), 'homepage' => '', 'author_profile' => '',
	'preview_url' => '', 'screenshot_url' => '', 'download_link' => "http://api.wordpress.org/$slug.zip",
);
$list = str_starts_with( $path, '/themes/' ) ? 'themes' : 'plugins';
$one = 'plugins' === $list
	? $thing( 'berth-plugin', 'Berth Plugin' )
	: array( 'author' => array( 'display_name' => 'Berth' ) ) + $thing( 'berth-theme', 'Berth Theme' );
$zip = 'http://api.wordpress.org/wordpress.zip';
if ( str_starts_with( $path, '/core/version-check/' ) ) {
	$said = array( 'translations' => array(), 'offers' => array( array(
		'response' => 'upgrade', 'download' => $zip, 'locale' => 'en_US', 'current' => OFFERED, 'version' => OFFERED,
		'packages' => array( 'full' => $zip, 'no_content' => false, 'new_bundled' => false, 'partial' => false, 'rollback' => false ),
		'php_version' => '7.2', 'mysql_version' => '5.5', 'new_bundled' => '9.9', 'partial_version' => false,
	) ) );
} elseif ( preg_match( '~^/(plugins|themes)/info/~', $path ) ) {
	$said = str_starts_with( $_REQUEST['action'] ?? '', 'query_' )
		? array( $list => array( $one ), 'info' => array( 'page' => 1, 'pages' => 1, 'results' => 1 ) )
		: $one;
} elseif ( str_contains( $path, '/update-check/' ) ) {
	$said = array( 'plugins' => array(), 'themes' => array(), 'no_update' => array(), 'translations' => array() );
} else {
	http_response_code( 404 );
	exit;
}
header( 'content-type: application/json' );
echo json_encode( $said );
`
