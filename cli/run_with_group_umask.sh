# Runs a command whose new files only its user and group can access, so that the worker can use Caddy's admin socket.
umask 007
exec "$@"
