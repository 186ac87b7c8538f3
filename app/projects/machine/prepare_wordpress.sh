# Copies WordPress into a folder that belongs to root and that visitors cannot reach. Creates its configuration and
# database. Does nothing if WordPress is already installed. Arguments: folder, name of the database
# and its user. Standard input: the end of the configuration.
#
# The script generates the database password and the keys. They are stored only in a file that its
# owner and PHP can read, and are never passed as arguments.
#
# shellcheck disable=SC2154 # wordpress_functions.sh sets stages and owner.
export LC_ALL=C
name=$2 stage=$stages/$2
secret() { head -c 48 /dev/urandom | base64 -w 0 | tr -d '+/='; }
line() { printf "define( '%s', '%s' );\n" "$@"; }

[ ! -e "$1/wp-load.php" ] || exit 0
rm -rf -- "$stage"
# shellcheck disable=SC2174 # Only the last folder is new.
mkdir -p -m 0711 "$stages"
mkdir -m 0700 -- "$stage"
# Copies the targets of Debian's links, which lead to folders that only Debian's own web server settings serve. Debian's
# configuration is removed, because it expects one file for each host name.
cp -RL /usr/share/wordpress/. "$stage/"
rm -f -- "$stage/wp-config.php" "$stage/.htaccess"
cd -- "$stage" || exit 1
put_htaccess

password=$(secret)
(
  umask 077
  {
    echo '<?php'
    line DB_NAME "$name" DB_USER "$name" DB_PASSWORD "$password" DB_HOST localhost
    line DB_CHARSET utf8mb4 DB_COLLATE '' FS_METHOD direct
    for key in AUTH SECURE_AUTH LOGGED_IN NONCE; do
      line "${key}_KEY" "$(secret)" "${key}_SALT" "$(secret)"
    done
    cat
  } > wp-config.php
)
open_to_php
chown root:root .
chmod 0640 wp-config.php
mariadb << SQL
create database if not exists $name character set utf8mb4;
create user if not exists $name@localhost;
alter user $name@localhost identified by '$password';
grant all privileges on $name.* to $name@localhost;
SQL
# From now on `www-data` can enter the folder, to complete the installer. The folder itself belongs to root.
chmod 0755 .
