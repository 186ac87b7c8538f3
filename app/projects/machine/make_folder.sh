set -e
mkdir -p -- "$1"
[ -z "$(ls -A -- "$1")" ] && echo empty || echo filled
