# Writes Apache's configuration and reloads Apache. Arguments: text of the default site, modules,
# SHA-256 sums of default sites that may be replaced, PEM file with certificate and key for HTTPS,
# port for HTTPS. Standard input: the configuration.
#
# The folder $undo keeps the previous files until Apache has loaded the new ones. If it still exists,
# an earlier run was interrupted, so this run applies the files even if they have not changed. Prints `kept` if a default site that was edited by hand is still enabled.
set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
default=$1 modules=$2 earlier=$3 tls=$4 port=$5
exec 9>> /run/berth-apache.lock
flock 9
cd /etc/apache2 || exit 1
conf=conf-available/berth.conf site=sites-available/000-default.conf undo=/etc/apache2/.berth-conf
say() { printf '%s\n' "$*" >&2; }
report() {
  [ ! -e sites-enabled/000-default.conf ] || printf '%s\n' "$default" | cmp -s - "$site" || echo kept
}
take_in() {
  if systemctl is-active -q apache2; then systemctl reload apache2 2>&1; else systemctl start apache2 2>&1; fi
}
listens() { ss -Hltn "sport = :$port" | grep -q .; }
# Apache ends itself a moment after a reload if it cannot listen.
wait_for_tls() {
  tries=0
  until listens; do
    tries=$((tries + 1))
    [ "$tries" -le 100 ] || {
      journalctl -u apache2 -n 8 --no-pager -o cat 2> /dev/null
      return 1
    }
    sleep 0.1
  done
}
make_tls() {
  new_key=$(mktemp "$tls.XXXXXXXX") && cert=$(mktemp) || return 1
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \
    -subj /CN=localhost -keyout "$new_key" -out "$cert" 2>&1 &&
    cat "$cert" >> "$new_key" && mv "$new_key" "$tls"
  code=$?
  rm -f "$new_key" "$cert"
  return "$code"
}
put_back() {
  for name in "$conf" "$site"; do
    if [ -e "$undo/${name##*/}" ]; then cp -p "$undo/${name##*/}" "$name"; else rm -f "$name"; fi
  done
}

new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
cat > "$new"
[ "$(tail -n 1 "$new")" = '# End' ] || {
  say 'The configuration arrived incomplete.'
  exit 2
}
chmod 644 "$new"
missing=
for module in $modules; do
  [ -e "mods-enabled/$module.load" ] || missing=yes
done
old=no
if [ -e "$site" ]; then
  sum=$(sha256sum < "$site")
  case " $earlier " in *" ${sum%% *} "*) old=yes ;; esac
fi
if [ ! -e "$undo" ] && [ -z "$missing" ] && [ "$old" = no ] && [ -s "$tls" ] && [ -e conf-enabled/berth.conf ] && cmp -s "$new" "$conf"; then
  report
  exit 0
fi

if ! { [ -s "$tls" ] && grep -qs "^ *Listen $port$" "$conf"; } && listens; then
  say "Another program uses port $port of this server instance. Stop it: the web server needs the port for HTTPS."
  exit 6
fi
if [ ! -s "$tls" ]; then
  words=$(make_tls) || {
    say "OpenSSL made no key for HTTPS: $words"
    exit 7
  }
fi
if [ ! -e "$undo/ready" ]; then
  rm -rf "$undo"
  mkdir -m 700 "$undo" || exit 1
  for name in "$conf" "$site"; do [ ! -e "$name" ] || cp -p "$name" "$undo/"; done
  : > "$undo/ready"
fi
cp "$new" "$conf"
[ "$old" = no ] || printf '%s\n' "$default" > "$site"
# shellcheck disable=SC2015,SC2086 # A list of modules. It ends unless both succeed.
a2enmod -q $modules > /dev/null && a2enconf -q berth > /dev/null || {
  put_back
  exit 3
}
words=$(apache2ctl configtest 2>&1) || {
  put_back
  rm -rf "$undo"
  say "$words"
  exit 4
}
words=$(take_in && wait_for_tls) || {
  put_back
  rm -rf "$undo"
  take_in > /dev/null
  say "$words"
  exit 5
}
rm -rf "$undo"
report
