# Argument: port. Fails if the app listens only on loopback, where other machines cannot reach it.
# Succeeds if nothing listens yet.
addresses=$(ss -Hltn "sport = :$1" | awk '{ print $4 }')
[ -n "$addresses" ] || exit 0
printf '%s\n' "$addresses" | grep -qv -e '^127\.' -e '^\[::1\]' -e '^\[::ffff:127\.'
