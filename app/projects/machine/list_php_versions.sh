for file in /usr/sbin/php-fpm[0-9]*; do
  [ ! -x "$file" ] || echo "${file#/usr/sbin/php-fpm}"
done | sort -rV
