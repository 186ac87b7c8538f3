# Upgrades an old WordPress. Adds a theme if it has none, rewrite rules for pages, write access for
# updates, and addresses that follow the virtual host. Arguments: folder, line that loads the
# addresses.
enter "$1"
as_php() { setpriv --reuid=www-data --regid=www-data --clear-groups "$@"; }
open_to_php
[ -n "$(find wp-content/themes -mindepth 2 -name style.css -print -quit)" ] ||
  as_php cp -RL /usr/share/wordpress/wp-content/themes/. wp-content/themes/
[ -e .htaccess ] || put_htaccess
# PHP's user reads the file, because it may be a link to a file that only root may read.
# shellcheck disable=SC2016 # The dollar belongs to PHP.
text=$(as_php awk -v line="$2" '{ print } /^\$table_prefix = / { print line }' wp-config.php)
[ -n "$text" ]
printf '%s\n' "$text" | put_file wp-config.php 0640
