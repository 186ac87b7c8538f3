# Runs a command as the site owner. Arguments: the user, its home, the command. Assigns no other variables,
# because that would change variables of the same name in the command's environment.
#
# sudo would write environment variables into the log, so setpriv is used. Over SSH the user is already the site owner;
# through the host's Incus it is root.
export USER="$1" LOGNAME="$1" HOME="$2"
shift 2
[ "$(id -un)" = "$USER" ] && exec "$@"
exec setpriv --reuid="$USER" --regid="$USER" --init-groups -- "$@"
