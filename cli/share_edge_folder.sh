# Caddy allows no other user to read its certificates, and newer versions allow none to use the admin socket. This
# gives the group access to both, and to the root certificate of Caddy's own CA, but to no keys. Argument: Caddy's
# folder.
authority=$1/storage/pki/authorities/local
while :; do
  chmod -f g+rw "$1/admin.sock"
  chmod -f g+x "$1/storage"
  find "$1/storage/certificates" \( -type d ! -perm -050 -exec chmod g+rx {} + \) \
    -o \( -type f -name '*.crt' ! -perm -040 -exec chmod g+r {} + \) 2> /dev/null
  chmod -f g+x "$1/storage/pki" "$1/storage/pki/authorities" "$authority" &&
    chmod -f g+r "$authority/root.crt"
  sleep 3
done
