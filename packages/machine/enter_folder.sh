cd -- "$1" || exit 125
shift
exec "$@"
