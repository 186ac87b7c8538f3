# Starts the user's login shell. Argument: the shell of a user who has none.
exec "${SHELL:-$1}" -l
