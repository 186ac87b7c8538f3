<?php
// Stores a site's address in its database for exports and for programs that read it there. Replaces
// the previous address in absolute links of the content. Loads neither themes nor plugins. Input:
// folder, url.

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
