# Arguments: repository, URL of its key or `trusted`, series, suites. Prints the first suite that has
# packages. Uses separate package lists, so that the machine's own do not change. Exit code 3: no suite has
# packages, or the repository does not respond.
set -eu
repository=$1 key=$2 series=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
how=trusted=yes
if [ "$key" != trusted ]; then
  /usr/lib/apt/apt-helper download-file "$key" "$folder/key.asc" >&2
  chmod 644 "$folder/key.asc"
  how=signed-by=$folder/key.asc
fi
options="-q -o Dir::Etc::SourceList=$folder/source.list -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State::Lists=$folder/lists -o Dir::Cache=$folder/cache"
for suite; do
  printf 'deb [%s] %s %s/mongodb-org/%s main\n' "$how" "$repository" "$suite" "$series" > "$folder/source.list"
  # shellcheck disable=SC2086 # A list of options.
  apt-get $options -o APT::Update::Error-Mode=any update >&2 || continue
  # shellcheck disable=SC2086 # A list of options.
  case $(LC_ALL=C apt-cache $options policy mongodb-org-server) in
  *'Candidate: '[0-9]*)
    echo "$suite"
    exit 0
    ;;
  esac
done
exit 3
