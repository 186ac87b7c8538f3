# Arguments: repository, URL of its key or `trusted`, series, suite.
set -eu
how=trusted=yes
mkdir -p /etc/apt/keyrings
if [ "$2" != trusted ]; then
  /usr/lib/apt/apt-helper download-file "$2" /etc/apt/keyrings/berth-mongodb.asc >&2
  chmod 644 /etc/apt/keyrings/berth-mongodb.asc
  how=signed-by=/etc/apt/keyrings/berth-mongodb.asc
fi
printf 'deb [%s] %s %s/mongodb-org/%s main\n' "$how" "$1" "$4" "$3" > /etc/apt/sources.list.d/berth-mongodb.list
