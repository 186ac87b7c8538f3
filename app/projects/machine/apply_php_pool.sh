# Arguments: PHP version, pool name, pool socket, expected last line. Standard input: the pool's
# configuration file.
set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
version=$1 pool=$2 socket=$3 end=$4
file=/etc/php/$version/fpm/pool.d/$pool.conf
exec 9>> /run/berth-php.lock
flock 9
say() { printf '%s\n' "$*" >&2; }
take_in() { systemctl reload-or-restart "php$version-fpm" 2>&1; }
put_back() {
  if [ -e "$file.before" ]; then mv -f "$file.before" "$file"; else rm -f "$file"; fi
}

cat > "$file.new"
if [ "$(tail -n 1 "$file.new")" != "$end" ]; then
  rm -f "$file.new"
  say 'The PHP settings arrived incomplete.'
  exit 2
fi
if [ -S "$socket" ] && cmp -s "$file" "$file.new"; then
  rm -f "$file.new"
  exit 0
fi
rm -f "$file.before"
[ ! -e "$file" ] || cp -p "$file" "$file.before"
mv -f "$file.new" "$file"
words=$("php-fpm$version" -t 2>&1) || {
  put_back
  say "$words"
  exit 3
}
words=$(take_in) || {
  put_back
  take_in > /dev/null
  say "$words"
  exit 4
}
tries=0
until [ -S "$socket" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 150 ]; then
    put_back
    take_in > /dev/null
    say "PHP $version did not come up for this project."
    exit 5
  fi
  sleep 0.2
done
rm -f "$file.before"
