# PM2's list contains the variables of every process, so only its owner may read the file.
# `--force` also saves an empty list. Otherwise deleted processes would come back at the next boot.
umask 077
pm2 save --force && chmod 600 "$HOME"/.pm2/dump.pm2*
