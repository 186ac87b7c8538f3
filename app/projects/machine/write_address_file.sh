# Writes the file with the site's addresses if the configuration loads it, and then prints `ours`.
# Argument: folder. Standard input: the file.
[ -f "$1/wp-config.php" ] || exit 0
grep -qF wp-config-address.php "$1/wp-config.php" || exit 0
enter "$1"
put_file wp-config-address.php 0640
echo ours
