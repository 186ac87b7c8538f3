# Arguments: `open` or `closed`, the configuration file. Restarts the server only if the file changes.
set -e
file=$2
if [ "$1" = open ]; then
  [ ! -e "$file" ] || exit 0
  printf '[mysqld]\n# Written by the console while a database user may come from another address.\nbind-address = 0.0.0.0\n' > "$file.new"
  chmod 0644 "$file.new"
  mv -f -- "$file.new" "$file"
else
  [ -e "$file" ] || exit 0
  rm -f -- "$file"
fi
systemctl restart mariadb
