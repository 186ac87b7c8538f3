import { readScript } from '#packages/machine/read_script'

/* Shell scripts for WordPress run as root in the instance, and PHP runs as the user that serves the
    site. So the site's code gets no additional rights when Berth runs it. */

/**
 * Only root can write in this folder. In a site's folder, `www-data` could create a link that
 * redirects root's writes. The folder is on the file system of the web root, so that a rename can
 * move files.
 */
export const STAGE_FOLDER = '/var/lib/berth-wordpress'

/** Berth prepares WordPress in this folder, where no visitor can reach its installer. */
export const stagingFolder = (database: string) => `${STAGE_FOLDER}/${database}`

const shell = (name: string) => readScript(import.meta, 'wordpress_functions.sh', name)
const php = (name: string) => readScript(import.meta, 'read_input.php', name)

/** PHP line in WordPress's configuration. It loads the file into which Berth writes the site's addresses. */
const LOAD_ADDRESS_PHP =
  "if ( is_readable( __DIR__ . '/wp-config-address.php' ) ) { require __DIR__ . '/wp-config-address.php'; }"

export const WP_CONFIG_END_PHP = `// A timer of the server runs scheduled tasks (systemctl list-timers 'berth-wordpress-*').
define( 'DISABLE_WP_CRON', true );
$table_prefix = 'wp_';
${LOAD_ADDRESS_PHP}
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`

export const PREPARE_WORDPRESS_SCRIPT = shell('prepare_wordpress.sh')
export const PUBLISH_WORDPRESS_SCRIPT = shell('publish_wordpress.sh')
export const DETECT_OLD_SETUP_SCRIPT = shell('detect_old_setup.sh')
export const UPDATE_OLD_SETUP_SCRIPT = shell('update_old_setup.sh')

export const updateOldSetupArguments = (folder: string) => [folder, LOAD_ADDRESS_PHP]

export const WRITE_ADDRESS_FILE_SCRIPT = shell('write_address_file.sh')
export const SCHEDULE_SCRIPT = shell('schedule_wordpress.sh')
export const INSTALL_WORDPRESS_PHP_CODE = php('install_wordpress.php')
export const CHANGE_SITE_ADDRESS_PHP_CODE = php('change_site_address.php')

/** Beginning of the line with the result (`wordpress_state.php`). Plugins may print other lines before it. */
export const RESULT_PREFIX = 'berth-wordpress:'

export const WORDPRESS_STATE_PHP_CODE = php('wordpress_state.php')
