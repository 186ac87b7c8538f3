# Arguments: pool name, and the PHP version that keeps the pool, or an empty string.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec 9>> /run/berth-php.lock
flock 9
for file in /etc/php/*/fpm/pool.d/"$1".conf; do
  version=${file#/etc/php/}
  version=${version%%/*}
  # shellcheck disable=SC2015 # It skips the file unless both hold.
  [ -e "$file" ] && [ "$version" != "$2" ] || continue
  rm -f "$file"
  ! systemctl is-active -q "php$version-fpm" || systemctl reload "php$version-fpm"
done
