# Arguments: folder, file name. Standard input: the file. Never overwrites an existing file,
# because it is the customer's.
set -e
cd -- "$1"
[ ! -e "$2" ] || exit 0
mkdir -p -- "$(dirname -- "$2")"
new=$(mktemp -u -- "$2.XXXXXXXX")
# With noclobber, writing fails if $new is a link. The site of an outer folder could have created one.
set -C
cat > "$new"
mv -fT -- "$new" "$2"
