# Prints `old` if an earlier release of Berth installed this WordPress. Arguments: folder, database.
config=$1/wp-config.php
[ -f "$config" ] || exit 0
grep -qxF "define( 'DB_NAME', '$2' );" "$config" 2> /dev/null || exit 0
grep -qF wp-config-address.php "$config" || echo old
