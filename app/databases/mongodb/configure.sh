# Standard input: the configuration. Exit code 4: unchanged.
set -eu
umask 022
cat > /etc/mongod.conf.berth-new
if cmp -s /etc/mongod.conf.berth-new /etc/mongod.conf; then
  rm /etc/mongod.conf.berth-new
  exit 4
fi
mv /etc/mongod.conf.berth-new /etc/mongod.conf
