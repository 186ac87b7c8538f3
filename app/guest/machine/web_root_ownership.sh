# Shell script that keeps files in the web root editable by its owner, including files that root
# creates in the terminal. Runs as root. Arguments: command, web root, owner.
#
# - `agree`: sets a default ACL on the web root. New files and folders inherit it, so the owner can
#   change them.
# - `fix`: gives existing files of root to the owner, and repairs folder modes that lock the owner
#   out. Files of other users (such as PHP uploads) keep their owner, who grants the site owner
#   access by an ACL. Then sets the default ACL on all folders.
#
# systemd-tmpfiles sets the default ACLs: it needs no extra package, and it walks the tree by
# directory file descriptors. Both commands add the web root to git's `safe.directory`.
#
# A malicious tree gains nothing. find enters folders by file descriptor and does not follow
# symlinks, and `chown -h` changes the symlink itself. Files with more than one hard link are
# skipped. Every other risky step runs as the user whose files it changes. `fix` prints the number
# of changed entries.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
verb=$1 root=$2 owner=$3
id "$owner" > /dev/null 2>&1 || exit 33
cd -P -- "$root" || exit 31
root=$PWD
let_in() { printf '%s %s - - - - default:user:%s:rwx\n' "$1" "$root" "$owner" | systemd-tmpfiles --create -; }
[ "$verb" = fix ] || [ "$(stat -c %U .)" = "$owner" ] || exit 0
for each in "$root" "$root/*"; do
  git config --system --get-all safe.directory 2> /dev/null | grep -qxF -- "$each" ||
    git config --system --add safe.directory "$each"
done
if [ "$verb" = agree ]; then
  let_in a+ 2> /dev/null
  exit 0
fi
{
  find . -xdev -user 0 \( -type d -o -type l -o -type f -links 1 \) -printf . \
    -execdir chown -h --from=0:0 -- "$owner:$owner" {} + -execdir chown -h --from=0 -- "$owner" {} +
  command -v setfacl > /dev/null || timeout 60 apt-get install -qq -y acl > /dev/null 2>&1
  if command -v setfacl > /dev/null; then
    find . -xdev ! -user "$owner" ! -user 0 -printf '%U\n' | sort -u | while read -r user; do
      setpriv --reuid="$user" --regid="$user" --clear-groups \
        find . -xdev -user "$user" \( -type d -o -type f -links 1 \) -printf . \
        -execdir setfacl -m "user:$owner:rwX" -- {} +
    done
  fi
  setpriv --reuid="$owner" --regid="$owner" --clear-groups \
    find . -xdev -type d -user "$owner" ! -perm -700 -printf . -execdir chmod u+rwx -- {} \;
} 2> /dev/null | wc -c
let_in A+ 2> /dev/null
exit 0
