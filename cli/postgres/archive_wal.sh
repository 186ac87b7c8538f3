# Archives one complete, synced WAL file, if the file `on` exists, which a backup creates. Arguments: archive
# folder, path of the WAL file, its name.
set -e
[ -e "$1/on" ] || exit 0
if [ -e "$1/$3.gz" ]; then exit 0; fi
umask 027
gzip -1 < "$2" > "$1/$3.new"
sync "$1/$3.new"
mv "$1/$3.new" "$1/$3.gz"
sync "$1"
