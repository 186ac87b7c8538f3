# Starts the user's login shell. The argument is the shell for a user who has none.
exec "${SHELL:-$1}" -l
