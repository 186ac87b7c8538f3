# Arguments: file to write, file to replace, port to listen on (each may be empty), beginning of the
# first line and the last line of Berth's site files. Standard input: the file.
#
# All of it runs on the machine under a lock, so that a lost connection leaves either the old or the
# new sites. The folder `undo` keeps the old files until Apache serves the new ones. After an
# interruption the next run restores them from there.
set -u
umask 022
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
new=$1 old=$2 port=$3 mark=$4 end=$5
undo=/etc/apache2/.berth-undo
exec 9>> /run/berth-apache.lock
flock 9
cd /etc/apache2/sites-available || exit 1

say() { printf '%s\n' "$*" >&2; }

put_back() {
  while IFS= read -r name; do
    if [ -e "$undo/$name" ]; then cp -p "$undo/$name" "$name"; else rm -f "$name"; fi
    if [ -e "$undo/$name.on" ]; then
      ln -sfn "../sites-available/$name" "../sites-enabled/$name"
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
  case $name in */*)
    say "$name is no file name."
    exit 2
    ;;
  esac
  if [ -n "$name" ] && [ -e "$name" ] && ! head -n 1 "$name" | grep -qF "$mark"; then
    say "$name among the sites was not written by Berth, so it was left as it is."
    exit 3
  fi
done

mkdir -m 700 "$undo" || exit 1
for name in "$new" "$old"; do
  [ -n "$name" ] || continue
  printf '%s\n' "$name" >> "$undo/names"
  [ ! -e "$name" ] || cp -p "$name" "$undo/$name"
  [ ! -L "../sites-enabled/$name" ] || : > "$undo/$name.on"
done
[ -e "$undo/names" ] || {
  rm -rf "$undo"
  exit 0
}

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
sync -f "$undo" 2> /dev/null || sync
if [ -n "$new" ]; then
  mv "$undo/incoming" "$new" && ln -sfn "../sites-available/$new" "../sites-enabled/$new"
fi
removed=
if [ -n "$old" ]; then
  [ ! -L "../sites-enabled/$old" ] || removed=yes
  rm -f "$old" "../sites-enabled/$old"
fi

words=$(apache2ctl configtest 2>&1) || {
  put_back
  say "$words"
  exit 6
}
words=$(take_in) || {
  put_back
  take_in > /dev/null
  say "$words"
  exit 7
}

if [ -n "$port" ]; then
  tries=0
  until ss -Hltn "sport = :$port" | grep -q .; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! systemctl is-active -q apache2; then
      words=$(journalctl -u apache2 -n 8 --no-pager -o cat 2> /dev/null)
      put_back
      systemctl restart apache2
      say "Apache did not come up on port $port. $words"
      exit 8
    fi
    sleep 0.2
  done
fi
rm -rf "$undo"
[ -z "$removed" ] || echo removed
