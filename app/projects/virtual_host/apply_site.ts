import { runCommand } from '#guest/public'
import {
  SITE_FILE_LAST_LINE,
  SITE_FILE_FIRST_LINE_PREFIX,
} from '#projects/virtual_host/render_site'
import {
  APACHE_MODULES,
  APACHE_DEFAULT_SITE_CONFIG,
  EARLIER_DEFAULT_SITE_SHA256_SUMS,
  serverConfig,
  APACHE_TLS_PEM_PATH,
  APACHE_TLS_PORT,
} from '#packages/apache/main'
import type { Machine } from '#packages/machine/main'

/**
 * Arguments: file to write, file to replace, port to listen on (each may be empty), first and last
 * line of Berth's site files. Standard input: the file.
 *
 * All of it runs on the machine under a lock, so that a lost connection leaves either the old or
 * the new sites. The folder `undo` keeps the old files until Apache serves the new ones. After an
 * interruption the next run restores them from there.
 */
const APPLY_SITE_SCRIPT = `set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
new=$1 old=$2 port=$3 mark=$4 end=$5
undo=/etc/apache2/.berth-undo
exec 9>>/run/berth-apache.lock
flock 9
cd /etc/apache2/sites-available || exit 1

say() { printf '%s\\n' "$*" >&2; }

put_back() {
  while IFS= read -r name; do
    if [ -e "$undo/$name" ]; then cp -p "$undo/$name" "$name"; else rm -f "$name"; fi
    if [ -e "$undo/$name.on" ]; then ln -sfn "../sites-available/$name" "../sites-enabled/$name"
    else rm -f "../sites-enabled/$name"; fi
  done < "$undo/names"
  rm -rf "$undo"
}

take_in() {
  if systemctl is-active -q apache2; then systemctl reload apache2 2>&1; else systemctl start apache2 2>&1; fi
}

if [ -e "$undo/ready" ]; then put_back; else rm -rf "$undo"; fi
[ "$new" = "$old" ] && old=
for name in "$new" "$old"; do
  case $name in */*) say "$name is no file name."; exit 2 ;; esac
  if [ -n "$name" ] && [ -e "$name" ] && ! head -n 1 "$name" | grep -qF "$mark"; then
    say "$name among the sites was not written by Berth, so it was left as it is."
    exit 3
  fi
done

mkdir -m 700 "$undo" || exit 1
for name in "$new" "$old"; do
  [ -n "$name" ] || continue
  printf '%s\\n' "$name" >> "$undo/names"
  [ ! -e "$name" ] || cp -p "$name" "$undo/$name"
  [ ! -L "../sites-enabled/$name" ] || : > "$undo/$name.on"
done
[ -e "$undo/names" ] || { rm -rf "$undo"; exit 0; }

if [ -n "$port" ] && [ ! -e "$undo/$new.on" ] && ss -Hltn "sport = :$port" | grep -q .; then
  rm -rf "$undo"
  say "Port $port is in use on this server instance already."
  exit 4
fi

if [ -n "$new" ]; then
  cat > "$undo/incoming"
  if [ "$(tail -n 1 "$undo/incoming")" != "$end" ]; then
    rm -rf "$undo"
    say "The configuration arrived incomplete."
    exit 5
  fi
fi
: > "$undo/ready"
sync -f "$undo" 2>/dev/null || sync
if [ -n "$new" ]; then
  mv "$undo/incoming" "$new" && ln -sfn "../sites-available/$new" "../sites-enabled/$new"
fi
removed=
if [ -n "$old" ]; then
  [ ! -L "../sites-enabled/$old" ] || removed=yes
  rm -f "$old" "../sites-enabled/$old"
fi

words=$(apache2ctl configtest 2>&1) || { put_back; say "$words"; exit 6; }
words=$(take_in) || { put_back; take_in >/dev/null; say "$words"; exit 7; }

if [ -n "$port" ]; then
  tries=0
  until ss -Hltn "sport = :$port" | grep -q .; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! systemctl is-active -q apache2; then
      words=$(journalctl -u apache2 -n 8 --no-pager -o cat 2>/dev/null)
      put_back
      systemctl restart apache2
      say "Apache did not come up on port $port. $words"
      exit 8
    fi
    sleep 0.2
  done
fi
rm -rf "$undo"
[ -z "$removed" ] || echo removed`

export interface SiteChange {
  /** The file to serve and its content; null to serve none. */
  file: { name: string; text: string; port: number | null } | null
  /** The file of Berth's that it replaces. */
  replaces: string | null
}

/**
 * Makes Apache serve a site, or stop serving it. If anything fails, restores the previous site, and
 * the error contains the machine's message.
 * @returns whether a site that Apache served was removed
 */
export async function applySite(
  machine: Machine,
  { file, replaces }: SiteChange
): Promise<boolean> {
  const port = file?.port ? String(file.port) : ''
  const argv = [
    'sh',
    '-c',
    APPLY_SITE_SCRIPT,
    'berth-site',
    file?.name ?? '',
    replaces ?? '',
    port,
    SITE_FILE_FIRST_LINE_PREFIX,
    SITE_FILE_LAST_LINE,
  ]
  const output = await runCommand(
    machine,
    'The web server rejected the configuration, and nothing was changed',
    argv,
    {
      user: 'root',
      stdin: file?.text ?? '',
      timeout: 120_000,
    }
  )
  return output.trim() === 'removed'
}

/**
 * Writes the server configuration and reloads Apache. Arguments: text of the default site, modules,
 * SHA-256 sums of default sites that may be replaced, file and port of TLS. Standard input: the
 * configuration.
 *
 * The folder `undo` exists until Apache has loaded the new files, so that an interrupted run is
 * repeated. Prints `kept` if a default site that was edited by hand is still enabled.
 */
const PREPARE_SERVER_SCRIPT = `set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
default=$1 modules=$2 earlier=$3 tls=$4 port=$5
exec 9>>/run/berth-apache.lock
flock 9
cd /etc/apache2 || exit 1
conf=conf-available/berth.conf site=sites-available/000-default.conf undo=/etc/apache2/.berth-conf
say() { printf '%s\\n' "$*" >&2; }
report() {
  [ ! -e sites-enabled/000-default.conf ] || printf '%s\\n' "$default" | cmp -s - "$site" || echo kept
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
    [ "$tries" -le 100 ] || { journalctl -u apache2 -n 8 --no-pager -o cat 2>/dev/null; return 1; }
    sleep 0.1
  done
}
make_tls() {
  new_key=$(mktemp "$tls.XXXXXXXX") && cert=$(mktemp) || return 1
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \\
    -subj /CN=localhost -keyout "$new_key" -out "$cert" 2>&1 &&
    cat "$cert" >> "$new_key" && mv "$new_key" "$tls"
  code=$?
  rm -f "$new_key" "$cert"
  return "$code"
}
put_back() {
  for name in "$conf" "$site"; do
    if [ -e "$undo/\${name##*/}" ]; then cp -p "$undo/\${name##*/}" "$name"; else rm -f "$name"; fi
  done
}

new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
cat > "$new"
[ "$(tail -n 1 "$new")" = '# End' ] || { say 'The configuration arrived incomplete.'; exit 2; }
chmod 644 "$new"
missing=
for module in $modules; do
  [ -e "mods-enabled/$module.load" ] || missing=yes
done
old=no
if [ -e "$site" ]; then
  sum=$(sha256sum < "$site")
  case " $earlier " in *" \${sum%% *} "*) old=yes ;; esac
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
  words=$(make_tls) || { say "OpenSSL made no key for HTTPS: $words"; exit 7; }
fi
if [ ! -e "$undo/ready" ]; then
  rm -rf "$undo"
  mkdir -m 700 "$undo" || exit 1
  for name in "$conf" "$site"; do [ ! -e "$name" ] || cp -p "$name" "$undo/"; done
  : > "$undo/ready"
fi
cp "$new" "$conf"
[ "$old" = no ] || printf '%s\\n' "$default" > "$site"
a2enmod -q $modules >/dev/null && a2enconf -q berth >/dev/null || { put_back; exit 3; }
words=$(apache2ctl configtest 2>&1) || { put_back; rm -rf "$undo"; say "$words"; exit 4; }
words=$(take_in && wait_for_tls) || { put_back; rm -rf "$undo"; take_in >/dev/null; say "$words"; exit 5; }
rm -rf "$undo"
report`

/**
 * Configures Apache on any base image: it answers unknown host names with 404, denies dot files,
 * trusts the edge and offers it TLS. Does nothing if it is already configured.
 * @param edges see `serverConfig`
 * @returns whether the customer edited Debian's default site: it stays enabled, but answers only
 *   for names that it lists
 */
export async function prepareApache(machine: Machine, edges: string[]): Promise<boolean> {
  const texts = [
    APACHE_DEFAULT_SITE_CONFIG.trimEnd(),
    APACHE_MODULES.join(' '),
    EARLIER_DEFAULT_SITE_SHA256_SUMS.join(' '),
  ]
  const tls = [APACHE_TLS_PEM_PATH, String(APACHE_TLS_PORT)]
  const output = await runCommand(
    machine,
    'The web server rejected its configuration, and nothing was changed',
    ['sh', '-c', PREPARE_SERVER_SCRIPT, 'berth-server', ...texts, ...tls],
    { user: 'root', stdin: serverConfig(edges), timeout: 120_000 }
  )
  return output.trim() === 'kept'
}
