# Argument: the file postmaster.pid, whose last line says whether PostgreSQL is ready.
until grep -q '^ready' "$1"; do sleep 0.1; done
