# The script that runs git on a machine. Each verb takes a path below the web root and then its own
# arguments.
#
# - The script changes into a folder first and checks its location afterwards (`cd -P` sets PWD to
#   the real path). So links cannot lead outside the web root.
# - Nothing runs as root, even if root owns the web root.
# - A repository, its `.git` and its settings must belong to the current user or to root, because
#   settings and hooks can run programs.
# - A branch name must follow git's own rules. Fetches and merges use its full name.
# - A deploy key signs in to one SSH server, whose address and key were checked before
#   (`deploy_keys.ts`). Git then ignores the user's own SSH settings and keys. Without a deploy key,
#   a pull over SSH uses them.
#
# `errors.ts` lists most exit codes. For 50 and 55 (a failed fetch), stderr contains git's own
# message. 51 is a merge with conflicts, which is undone unless the caller keeps it. 62 is a failed
# hook, with its name on standard output.
#
# shellcheck disable=SC2154 # web_root_prologue.sh sets verb and root.
set -f
path=$1
shift
[ ! -O / ] || exit 32
unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE \
  GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT \
  GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_EXTERNAL_DIFF GIT_SSH \
  GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_TRACE GIT_CURL_VERBOSE \
  GIT_TRACE_CURL GIT_ALLOW_PROTOCOL GIT_SSL_NO_VERIFY http_proxy https_proxy HTTPS_PROXY \
  ALL_PROXY all_proxy LD_PRELOAD LD_LIBRARY_PATH
export GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat GIT_EDITOR=true
# Runs a command with the deploy key, which ssh-add reads from standard input, because OpenSSH 10 closes other
# descriptors. Only an ssh-agent has the key, in memory; the agent exits with the command. The temporary folder
# contains only the public key and known_hosts. mktemp ignores signals: if one ended it after it created the folder,
# the folder would remain.
# shellcheck disable=SC2016 # An inner shell expands it.
with_key='
trap "rm -rf -- \"\$folder\"; kill \"\$SSH_AGENT_PID\"" EXIT
trap "exit 50" HUP INT TERM
folder=$(trap "" HUP INT TERM; mktemp -d /tmp/berth-key.XXXXXX) || exit 50
ssh-add -q - || exit 50
exec </dev/null
printf "%s\n" "$BERTH_SSH_KEY" > "$folder/key.pub"
printf "%s %s\n" "$BERTH_SSH_HOST" "$BERTH_SSH_HOST_KEY" > "$folder/known_hosts"
export folder GIT_SSH_VARIANT=ssh GIT_SSH_COMMAND="ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes \
  -o IdentityFile=\"\$folder/key.pub\" -o PreferredAuthentications=publickey -o ForwardAgent=no \
  -o ClearAllForwardings=yes -o ControlPath=none -o ProxyCommand=none -o UpdateHostKeys=no \
  -o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null \
  -o UserKnownHostsFile=\"\$folder/known_hosts\" -o HostKeyAlgorithms=\"\$BERTH_SSH_ALGORITHMS\" \
  -o HostName=\"\$BERTH_SSH_ADDRESS\" -o HostKeyAlias=\"\$BERTH_SSH_HOST\" -o ConnectTimeout=30 \
  -o ServerAliveInterval=30"
"$@"
'
key=
exec 7< /dev/null
# Runs git with safe settings. Forbids all transport protocols except those that the arguments allow. Uses the deploy
# key if `key` is set (see `sign_in`).
git() {
  command ${key:+ssh-agent sh -c "$with_key" sh} git -c safe.directory="$PWD" -c safe.bareRepository=explicit -c core.fsmonitor=false \
    -c core.quotePath=false -c advice.detachedHead=false -c protocol.allow=never "$@" <&7 9>&-
}
ssh_tools() { command -v ssh > /dev/null && command -v ssh-agent > /dev/null || exit 34; }
# If the variables name an SSH server, makes later git commands use the deploy key from standard input.
sign_in() {
  [ -n "${BERTH_SSH_ADDRESS:-}" ] || return 0
  ssh_tools
  exec 7<&0
  key=given
}
# Changes into the folder $1 below the web root. If a folder on the way is missing: creates it with `make` as $2,
# exits with 0 with `end`, and otherwise exits with 21.
walk() {
  cd -P -- "$root" || exit 31
  rest=$1
  while [ -n "$rest" ]; do
    case $rest in
    */*) part=${rest%%/*} rest=${rest#*/} ;;
    *) part=$rest rest= ;;
    esac
    if ! is_there "$part"; then
      case $2 in
      make) mkdir -- "./$part" || exit 50 ;;
      end) exit 0 ;;
      *) exit 21 ;;
      esac
    fi
    cd -P -- "./$part" 2> /dev/null || exit 21
    case "$PWD/" in "$root/"*) ;; *) exit 20 ;; esac
  done
}
trusted() { [ -O "$1" ] || [ "$(stat -c %u -- "$1")" = 0 ]; }
# Changes into the repository that contains the folder $path. Exits unless it is trusted.
repository() {
  walk "$path" must
  while ! is_there .git; do
    [ "$PWD" != "$root" ] || exit 40
    cd -P .. || exit 40
  done
  [ -d .git ] && [ ! -L .git ] && [ ! -e .git/commondir ] || exit 41
  [ -f .git/HEAD ] || exit 40
  trusted . && trusted .git && trusted .git/config || exit 42
  export GIT_CEILING_DIRECTORIES="${PWD%/*}"
}
# Locks this repository against other git commands of Berth that change it. Exits with 48 after 10 s.
alone() {
  exec 9< .git
  flock -w 10 9 || exit 48
}
# Returns whether a git process runs in this repository. A git process of another user, whose folder cannot be read,
# counts too.
at_work() (
  set +f
  for each in /proc/[0-9]*; do
    read -r name < "$each/comm" || continue
    case $name in git | git-*) ;; *) continue ;; esac
    place=$(readlink "$each/cwd") || {
      [ ! -e "$each" ] || return 0
      continue
    }
    case "$place/" in "$PWD/"*) return 0 ;; esac
  done 2> /dev/null
  return 1
)
valid() { [ -n "$1" ] && [ "$(git check-ref-format --branch "$1" 2> /dev/null)" = "$1" ] || exit 43; }
has() { git show-ref --verify --quiet "$1"; }
# Finds the branch $1. It can be a local name, `remote/name`, or the name of a remote branch alone. Sets $name to the
# branch's name. Sets $remote to its remote, empty if the branch is local.
find_branch() {
  remote='' name=$1
  # Local branches exist, so their names are valid. But git commands would take these names for options or for another
  # ref.
  case $1 in -* | @* | HEAD) valid "$1" ;; esac
  if has "refs/heads/$1"; then return 0; fi
  valid "$1"
  remotes=$(git remote)
  for each in $remotes; do
    case $1 in "$each/"*) ;; *) continue ;; esac
    if [ ${#each} -gt ${#remote} ] && has "refs/remotes/$1"; then
      remote=$each name=${1#"$each/"}
    fi
  done
  if [ -z "$remote" ]; then
    for each in origin $remotes; do
      if [ -z "$remote" ] && has "refs/remotes/$each/$1"; then remote=$each; fi
    done
  fi
  [ -n "$remote" ] || exit 44
  valid "$name"
}
# Makes the signed-in person author and committer if git's settings name nobody.
identity() {
  [ -z "$(git config user.email)" ] || return 0
  export GIT_AUTHOR_NAME="$BERTH_NAME" GIT_AUTHOR_EMAIL="$BERTH_EMAIL"
  export GIT_COMMITTER_NAME="$BERTH_NAME" GIT_COMMITTER_EMAIL="$BERTH_EMAIL"
}
hook_exists() { [ -x "$(git rev-parse --git-path hooks)/$1" ]; }
# Prints the name of the first of the given hooks that exists, and exits with 62. Call it if git failed for no other
# known reason.
hook_failed() {
  for each; do
    if hook_exists "$each"; then
      printf %s "$each"
      exit 62
    fi
  done
}
# Merges the ref $1 with the commit message $2. Prints `changed` if HEAD is another commit afterwards. If there are
# conflicts, prints the files, aborts the merge unless $3 is `keep`, and exits with 51.
merge() {
  [ ! -e .git/MERGE_HEAD ] || exit 45
  before=$(git rev-parse -q --verify HEAD)
  identity
  git merge -q --no-edit -m "$2" "$1" >&2
  code=$?
  if [ -e .git/MERGE_HEAD ]; then
    if [ -z "$(git ls-files -u)" ]; then
      git merge --abort >&2 || git reset -q --merge >&2
      hook_failed pre-merge-commit prepare-commit-msg commit-msg
      exit 50
    fi
    git diff --name-only -z --diff-filter=U
    [ "$3" != keep ] || exit 51
    git merge --abort >&2 || git reset -q --merge >&2
    exit 51
  fi
  [ $code = 0 ] || exit 50
  [ "$before" = "$(git rev-parse -q --verify HEAD)" ] || echo changed
}
merging() {
  repository
  [ -f .git/MERGE_HEAD ] || exit 58
}
# Sets $ours and $theirs to the object ids of both versions of the conflicted file $1. They are empty if a side
# deleted the file. Exits with 59 if the index has no conflict for exactly this name.
conflicted() {
  ours=$(git rev-parse -q --verify ":2:$1")
  theirs=$(git rev-parse -q --verify ":3:$1")
  [ -n "$ours$theirs" ] || git rev-parse -q --verify ":1:$1" > /dev/null || exit 59
}
# Sets $mode to the mode of the conflicted file $1. Exits with 60 if one of its versions is a link or a submodule,
# which cannot be edited as text.
plain_mode() {
  modes=$(git --literal-pathspecs ls-files -u -- "$1" | cut -d' ' -f1)
  mode=
  for each in $modes; do
    case $each in 100644 | 100755) mode=$each ;; *) exit 60 ;; esac
  done
}
checked_out() {
  git symbolic-ref -q HEAD
  git rev-parse -q --verify HEAD
}
# Sets $current to the checked-out branch. Exits with 46 if HEAD is detached.
on_branch() { current=$(git symbolic-ref -q HEAD) || exit 46; }
# Changes into the parent folder of $path, where `$path` is the folder of the clone. Sets $name to the last part of
# $path, empty for the web root. $1 is the second argument of `walk`.
target() {
  name=${path##*/}
  case $path in */*) folder=${path%/*} ;; *) folder= ;; esac
  walk "$folder" "$1"
}
# Exits with 52 unless the folder $name is missing, empty, or contains only the starter page and Berth's own files
# (`.berth-*`). Sets $starter to the name of that page, empty if there is none.
free() {
  starter=
  is_there "$name" || return 0
  [ -d "./$name" ] && { [ -z "$name" ] || [ ! -L "./$name" ]; } || exit 52
  find_starter "./$name" "${BERTH_STARTER_NAME:-}" "${BERTH_STARTER_HASH:-}"
  [ -z "$(find "./$name" -mindepth 1 -maxdepth 1 ! -name '.berth-*' ! -name "$starter" -print -quit)" ] || exit 52
}
case $verb in
details)
  # Prints the repository's folder, then branch, commit if HEAD is detached, whether a merge is open, remotes, an empty
  # line, and all branches.
  repository
  export GIT_OPTIONAL_LOCKS=0
  printf '%s\0' "${PWD#"$root"}"
  read -r head < .git/HEAD
  current=${head#ref: } commit=
  case $head in
  # A repository in reftable format does not store HEAD in a file.
  'ref: refs/heads/.invalid') current=$(git symbolic-ref -q HEAD) ;;
  'ref: '*) ;;
  *) current= ;;
  esac
  [ -n "$current" ] || commit=$(git rev-parse -q --short HEAD)
  merging=
  [ ! -e .git/MERGE_HEAD ] || merging=merging
  printf '%s\n%s\n%s\n' "$current" "$commit" "$merging"
  git remote || exit 50
  echo
  git for-each-ref --format='%(refname) %(symref)' refs/heads refs/remotes || exit 50
  ;;
checkout)
  # Arguments: branch. First prints `hook` or `git` if the hook or git failed after the switch, otherwise an empty
  # line. Then prints the branch's local name.
  repository
  alone
  find_branch "$1"
  before=$(checked_out) same=
  if has "refs/heads/$name" && [ "$(git symbolic-ref -q HEAD)" = "refs/heads/$name" ]; then same=same; fi
  if [ -z "$remote" ] || has "refs/heads/$name"; then
    git switch -q --no-guess "$name" >&2
  else
    git switch -q -c "$name" --track "refs/remotes/$remote/$name" >&2
  fi
  code=$?
  if [ $code = 0 ]; then
    echo
  elif [ "$(checked_out)" != "$before" ] && [ "$(git symbolic-ref -q HEAD)" = "refs/heads/$name" ]; then
    # Git calls post-checkout only after it has switched the branch.
    if hook_exists post-checkout; then echo hook; else echo git; fi
  else
    # Git calls post-checkout also if the branch was already checked out. It does not if there are unmerged files.
    [ -z "$same" ] || [ -n "$(git ls-files -u)" ] || hook_failed post-checkout
    exit 50
  fi
  printf %s "$name"
  ;;
merge)
  # Arguments: branch, `keep` to leave a merge with conflicts open.
  repository
  alone
  on_branch
  find_branch "$1"
  if [ -n "$remote" ]; then
    merge "refs/remotes/$remote/$name" "Merge remote-tracking branch '$remote/$name'" "$2"
  else
    [ "$current" != "refs/heads/$name" ] || exit 47
    merge "refs/heads/$name" "Merge branch '$name'" "$2"
  fi
  ;;
source)
  # Arguments: branch. Prints the remote, the remote's branch and the address from which the branch is pulled,
  # separated by NUL.
  repository
  on_branch
  find_branch "$1"
  if [ -z "$remote" ]; then
    [ "$current" != "refs/heads/$name" ] || exit 47
    remote=$(git config "branch.$name.remote")
    if [ -n "$remote" ]; then
      name=$(git config "branch.$name.merge")
      name=${name#refs/heads/}
    else
      remote=origin
    fi
  fi
  [ "$remote" != . ] && git config --get-all "remote.$remote.url" > /dev/null || exit 49
  valid "$remote"
  valid "$name"
  printf '%s\0%s\0%s' "$remote" "$name" "$(git ls-remote --get-url "$remote")"
  ;;
pull)
  # Arguments: remote, branch, `keep` as for merge, git settings. Standard input: the deploy key, if any.
  repository
  alone
  on_branch
  from=$1 branch=$2 keep=$3
  shift 3
  sign_in
  git "$@" fetch -q --no-recurse-submodules --no-tags "$from" \
    "+refs/heads/$branch:refs/remotes/$from/$branch" >&2 || exit 55
  key=
  exec 7< /dev/null
  merge "refs/remotes/$from/$branch" "Merge remote-tracking branch '$from/$branch'" "$keep"
  ;;
delete)
  # Arguments: local branch. Exits with 54 if it exists only on a remote.
  repository
  alone
  valid "$1"
  if ! has "refs/heads/$1"; then
    find_branch "$1"
    exit 54
  fi
  [ "$(git symbolic-ref -q HEAD)" != "refs/heads/$1" ] || exit 47
  git branch -q -d -- "$1" >&2 || exit 50
  ;;
conflicts)
  # Prints the first line of the merge message, then each unresolved entry: mode, object, side and name. Each ends with
  # NUL.
  merging
  export GIT_OPTIONAL_LOCKS=0
  title=
  [ ! -f .git/MERGE_MSG ] || read -r title < .git/MERGE_MSG
  printf '%s\0' "$title"
  git ls-files -u -z || exit 50
  ;;
conflict)
  # Arguments: file, maximum bytes. Prints the sizes of ours and theirs (`-`: deleted), then their contents. Omits the
  # content of a side that is larger.
  merging
  conflicted "$1"
  plain_mode "$1"
  sizes='' sides=
  for side in "$ours" "$theirs"; do
    size=-
    if [ -n "$side" ]; then size=$(git cat-file -s "$side") || exit 50; fi
    sizes="$sizes$size "
    if [ "$size" != - ] && [ "$size" -le "$2" ]; then sides="$sides $side"; fi
  done
  printf '%s\n' "$sizes"
  for side in $sides; do git cat-file blob "$side" || exit 50; done
  ;;
solve)
  # Arguments: file, side (`ours`, `theirs` or `text`). Standard input: the content for `text`. Git itself writes the
  # file, so the script follows no link and changes nothing outside the web root.
  merging
  alone
  conflicted "$1"
  case $2 in
  ours) kept=$ours ;;
  theirs) kept=$theirs ;;
  text)
    plain_mode "$1"
    exec 7<&0
    kept=$(git hash-object -w --stdin --path="$1") || exit 50
    exec 7< /dev/null
    git update-index --add --cacheinfo "$mode,$kept,$1" >&2 || exit 50
    git checkout-index -q -f -- "$1" >&2 || exit 50
    exit 0
    ;;
  *) exit 2 ;;
  esac
  if [ -z "$kept" ]; then
    git --literal-pathspecs rm -q -f -- "$1" >&2 || exit 50
  else
    git --literal-pathspecs checkout -q "--$2" -- "$1" >&2 || exit 50
    git --literal-pathspecs add -f -- "$1" >&2 || exit 50
  fi
  ;;
finish)
  merging
  alone
  [ -z "$(git ls-files -u)" ] || exit 61
  identity
  git commit -q --no-edit >&2 || {
    hook_failed pre-commit prepare-commit-msg commit-msg
    exit 50
  }
  ;;
abort)
  merging
  alone
  git merge --abort >&2 || exit 50
  ;;
unlock)
  # Deletes the lock of an interrupted git command. Exits with 56 if git is running, and with 57 if the lock is less
  # than 10 s old.
  repository
  alone
  is_there .git/index.lock || exit 0
  ! at_work || exit 56
  [ $(($(date +%s) - $(stat -c %Y .git/index.lock))) -ge 10 ] || exit 57
  rm -f -- .git/index.lock || exit 50
  ;;
look)
  # Arguments: `ssh` or `https`. Checks that git can clone into $path.
  command -v git > /dev/null || exit 33
  [ "$1" != ssh ] || ssh_tools
  target end
  free
  ;;
clone)
  # Arguments: temporary name, earlier temporary names, address, git settings. Standard input: the deploy key, if any.
  target make
  free
  temporary=$1 address=$3
  for each in $2; do rm -rf -- "./$each"; done
  shift 3
  sign_in
  git -c core.hooksPath=/dev/null -c credential.helper= "$@" clone --progress --template= \
    --no-recurse-submodules -- "$address" "./$temporary" >&2 || exit 50
  ;;
place)
  # Arguments: temporary name. Moves the finished clone to $path. Prints the name of a starter page that it replaced.
  target must
  if [ -z "$name" ]; then
    # Only root can replace the web root itself, so the clone's contents are moved into it. `.git` comes last.
    [ -d "./$1" ] || {
      [ -d .git ] && exit 0
      exit 53
    }
    # Moves the starter page aside only once. Later, a page with the same content belongs to the repository.
    if [ ! -e "./$1.page" ]; then
      find_starter . "${BERTH_STARTER_NAME:-}" "${BERTH_STARTER_HASH:-}"
      [ -z "$starter" ] || mv -T -- "./$starter" "./$1.page" || exit 50
      printf %s "$starter"
    fi
    find "./$1" -mindepth 1 -maxdepth 1 ! -name .git -exec mv -n -t . -- {} + || exit 50
    if [ -d "./$1/.git" ]; then mv -n -t . -- "./$1/.git" || exit 50; fi
    rmdir -- "./$1" || exit 52
    rm -f -- "./$1.page"
    exit 0
  fi
  if [ ! -d "./$1" ]; then
    [ -d "./$name/.git" ] && exit 0
    exit 53
  fi
  free
  [ -z "$starter" ] || mv -T -- "./$name/$starter" "./$1.page" || exit 50
  mv -T -- "./$1" "./$name" || {
    [ -z "$starter" ] || mv -n -T -- "./$1.page" "./$name/$starter"
    exit 52
  }
  rm -f -- "./$1.page"
  printf %s "$starter"
  ;;
missing)
  # Prints NUL-terminated records: `s<path>` for a submodule that is empty or at another commit, `./<path>` for a
  # Git LFS pointer file. `S` or `L` means that the list of submodules or LFS files is complete.
  repository
  export GIT_OPTIONAL_LOCKS=0
  git ls-files > /dev/null || exit 50
  # shellcheck disable=SC2016 # The inner shell expands it.
  git ls-files -s -z | sed -z -n 's/^160000 [0-9a-f]* [0-9]\t//p' |
    xargs -0 -r sh -c 'for each do [ -e "./$each/.git" ] || printf "s%s\0" "$each"; done' sh &&
    git diff-files --raw -z --ignore-submodules=dirty > /dev/null &&
    git diff-files --raw -z --ignore-submodules=dirty | sed -z -n '/^:160000 /{n;s/^/s/;p}' && printf 'S\0'
  # Codes below 124 are no error here: find fails for a deleted file, and grep without a match. From 124 on, a command
  # was killed or could not run.
  git ls-files -z | sed -z 's|^|./|' | xargs -0 -r sh -c 'exec find "$@" -maxdepth 0 -type f -size -3 -exec \
    grep -l -Z -s -m 1 "^version https://git-lfs\.github\.com/spec/v1$" {} +' sh 2> /dev/null
  [ $? -ge 124 ] || printf 'L\0'
  ;;
discard)
  # Arguments: temporary names. Deletes these clones.
  target end
  for each in $1; do rm -rf -- "./$each" "./$each.page"; done
  ;;
*)
  exit 2
  ;;
esac
