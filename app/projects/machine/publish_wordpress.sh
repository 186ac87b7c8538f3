# Moves a prepared copy to its folder. Arguments: folder, name of the database.
#
# shellcheck disable=SC2154 # wordpress_functions.sh sets stages and owner.
stage=$stages/$2
[ -d "$stage" ] || exit 0
enter "$1"
chown "$owner:www-data" .
chmod g+rwxs .
if command -v setfacl > /dev/null; then
  setfacl -m "g::rwx,d:g::rwx,d:u:$owner:rwx" .
fi
# wp-load.php comes last, because its existence shows that the copy is complete.
for entry in "$stage"/.htaccess "$stage"/* "$stage"/wp-load.php; do
  name=${entry##*/}
  [ -e "$entry" ] || continue
  [ "$name" != wp-load.php ] || [ "$(ls "$stage")" = wp-load.php ] || continue
  rm -rf -- "./$name"
  mv -fT -- "$entry" "./$name"
done
rmdir -- "$stage"
