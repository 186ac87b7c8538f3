# Debian names the Apache snippet of PHP-FPM after the PHP version. Enabling it again changes
# nothing. Standard input: PHP settings for sites without their own.
set -e
settings=$(cat)
for folder in /etc/php/*/fpm/conf.d; do
  [ "$(cat "$folder/90-berth.ini" 2> /dev/null)" = "$settings" ] && continue
  printf '%s\n' "$settings" > "$folder/90-berth.ini"
  version=${folder#/etc/php/}
  systemctl reload-or-restart "php${version%%/*}-fpm"
done
a2enmod -q proxy_fcgi setenvif
for file in /etc/apache2/conf-available/php*-fpm.conf; do a2enconf -q "$(basename "$file" .conf)"; done
apache2ctl configtest
# shellcheck disable=SC2010 # No other names match.
systemctl start "$(ls /lib/systemd/system | grep -m 1 '^php.*-fpm.service$')"
systemctl reload-or-restart apache2
