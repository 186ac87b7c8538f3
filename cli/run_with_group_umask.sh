# Gives access only to the owner and group, so that the worker can use the admin socket.
umask 007
exec "$@"
