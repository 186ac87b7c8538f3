<?php
// Completes the installer of a prepared copy, so that no visitor can, and sets the administrator's
// password. Input: folder, url, title, user, email, password.

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
