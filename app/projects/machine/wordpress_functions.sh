# The beginning of all scripts that run as root for WordPress. Arguments: the folder in which root prepares files, the
# site owner, then those of the script.
set -eu
stages=$1 owner=$2
shift 2

# Changes into the folder of a site, and stays there even if another folder takes its place.
# Rejects links: `www-data` can replace a folder inside another site by a link.
enter() {
  cd -P -- "$1" || exit 1
  [ "$PWD" = "$1" ] || {
    echo "The path $1 contains a symbolic link. Replace the link with the folder itself." >&2
    exit 1
  }
}

# Writes standard input to a file in the current folder. Replaces a link of that name instead of
# following it. Arguments: name, mode.
put_file() {
  # shellcheck disable=SC2174 # Only the last folder is new.
  mkdir -p -m 0711 "$stages"
  new=$(mktemp "$stages/new.XXXXXXXX")
  cat > "$new"
  chown "$owner:www-data" "$new"
  chmod "$2" "$new"
  mv -fT -- "$new" "./$1"
}

# Lets PHP write everything in the current folder except the configuration, so that it can update plugins, themes and
# WordPress. The site owner may also change what PHP writes. If the folder has ACLs, their group entries decide, so the
# script sets those too.
#
# The script changes modes and ACLs only of the site owner's files, as that user and with PHP's group as its only group.
# So a link that replaces a file meanwhile gives PHP no access.
open_to_php() {
  find . -xdev \( -type d -o -type l -o -links 1 \) -execdir chown -h "$owner:www-data" -- {} +
  setpriv --reuid="$owner" --regid=www-data --clear-groups sh -eu -s "$owner" << 'OPEN'
mine="-xdev -user $1 ! -path ./wp-config.php"
find . $mine \( -type d -o -type f \) -execdir chmod g+rwX -- {} +
find . $mine -type d -execdir chmod g+s -- {} +
command -v setfacl > /dev/null || exit 0
find . $mine -type d -execdir setfacl -m "g::rwX,d:g::rwX,d:u:$1:rwX" -- {} +
find . $mine -type f -execdir setfacl -m g::rwX -- {} +
OPEN
}

# Rewrites page addresses to WordPress, and denies access to the configuration and its copies.
put_htaccess() {
  put_file .htaccess 0664 << 'RULES'
<FilesMatch "^\.?wp-config">
Require all denied
</FilesMatch>

# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteRule ^index\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . index.php [L]
</IfModule>
# END WordPress
RULES
}
