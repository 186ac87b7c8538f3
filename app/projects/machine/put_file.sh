# Arguments: folder, file name. Standard input: the file. Never overwrites an existing file,
# because it is the customer's.
set -e
cd -- "$1"
[ ! -e "$2" ] || exit 0
mkdir -p -- "$(dirname -- "$2")"
new=$(mktemp -u -- "$2.XXXXXXXX")
# noclobber: fails if a link is there. Another site, in whose folder this one lies, could have created it.
set -C
cat > "$new"
mv -fT -- "$new" "$2"
