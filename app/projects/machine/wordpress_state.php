<?php
// Prints one line of JSON: version, newest available version, number of plugins and of themes with
// updates. Asks wordpress.org at most every ten minutes. `checked` is null if it did not answer. If
// the installer has not been completed, the line holds only `installed: false`. Input: folder.

// WordPress exits early if it is not installed.
register_shutdown_function(
	function () {
		if ( function_exists( 'is_blog_installed' ) && ! is_blog_installed() ) {
			echo "\nberth-wordpress:", '{"installed":false}', "\n";
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
echo "\nberth-wordpress:", wp_json_encode(
	array(
		'installed' => true,
		'version'   => $wp_version,
		'newest'    => $newest,
		'plugins'   => $waiting( 'update_plugins' ),
		'themes'    => $waiting( 'update_themes' ),
		'checked'   => $checked ? (int) $checked : null,
	)
), "\n";
