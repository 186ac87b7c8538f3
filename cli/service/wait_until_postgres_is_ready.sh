# Waits until PostgreSQL is ready. Argument: path of postmaster.pid, whose last line then starts with `ready`.
until grep -q '^ready' "$1"; do sleep 0.1; done
