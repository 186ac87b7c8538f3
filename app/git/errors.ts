import { conflict, invalid, AppError } from '#core/app_error'
import { noWebRoot, pathOutsideWebRoot } from '#guest/public'

export const INVALID_BRANCH_MESSAGE = 'This is not a valid branch name.'
export const UNSUPPORTED_ADDRESS_MESSAGE =
  'Enter an address that begins with https:// or ssh://, or one such as git@host:path.'
export const INVALID_SSH_ADDRESS_MESSAGE =
  'This is not an SSH repository address. Write it as git@host:path or ssh://git@host/path.'

/** The page then offers to clone a repository. */
export function noRepository(): AppError {
  return new AppError('no_repository', 404, 'This folder is not a git repository.')
}

export function noInstance(): AppError {
  return conflict('You have no default server instance. Choose a server instance first.')
}

export function badBranch(): AppError {
  return invalid({ branch: INVALID_BRANCH_MESSAGE })
}

export function invalidRepositoryAddress(message: string): AppError {
  return invalid({ repository: message })
}

export function gitError(message: string): AppError {
  if (/permission denied|insufficient permission|operation not permitted/i.test(message)) {
    return notOwnedByUser()
  }
  return new AppError('git_refused', 409, message)
}

/**
 * Creates the error for files with another owner, usually root, who created them in the terminal.
 */
export function notOwnedByUser(): AppError {
  return new AppError(
    'denied',
    403,
    'Some files of this repository belong to another user of the server instance (often root), so git cannot change them. Choose “Fix ownership” in the file manager and try again.'
  )
}

/**
 * Creates the error for a repository in which another git command is running or was interrupted.
 * `lock` is the lock file, relative to `.git`. Pages offer to remove `index.lock`.
 */
export function repositoryLocked(lock: string): AppError {
  if (lock !== 'index.lock') {
    return conflict(
      `Another git command holds a lock in this repository (.git/${lock}). Try again in a moment. If no git command is running, remove that file in the terminal.`
    )
  }
  return new AppError(
    'locked',
    409,
    'Another git command is running in this repository, or an interrupted command left its lock (.git/index.lock). If no git command is running, remove the lock and try again.'
  )
}

export function localChanges(files: string[]): AppError {
  return new AppError(
    'local_changes',
    409,
    `Nothing was changed, because this would overwrite uncommitted changes in these files: ${someOf(files)}. Commit or undo the changes in the terminal, then try again.`
  )
}

export function diskFull(): AppError {
  return new AppError(
    'disk_full',
    507,
    'The disk of this server instance is full. Free some space, then try again.'
  )
}

export function unrelatedHistories(): AppError {
  return gitError(
    'The two branches have no commit in common, so git does not merge them. To merge them anyway, use the terminal with --allow-unrelated-histories.'
  )
}

export function cannotFastForward(): AppError {
  return gitError(
    'Each branch has commits that the other branch lacks, and the settings of this repository do not allow a merge commit (merge.ff is “only”). Rebase in the terminal, or change that setting.'
  )
}

export function noMergeInProgress(): AppError {
  return new AppError(
    'no_merge',
    409,
    'No merge is in progress in this repository, so there is nothing to finish or abort.'
  )
}

export function mergeConflict(files: string[]): AppError {
  return new AppError(
    'merge_conflict',
    409,
    `The branches changed the same lines, so nothing was merged. Conflicts: ${someOf(files)}. Choose “Resolve conflicts” to merge again and decide file by file.`
  )
}

function someOf(files: string[]): string {
  const more = files.length > 10 ? ` and ${files.length - 10} more` : ''
  return `${files.slice(0, 10).join(', ')}${more}`
}

/**
 * Creates the error for a server that asks for a password. Many servers also do so if the
 * repository does not exist. The clone form detects this error by its text.
 */
export function signInNeeded(): AppError {
  return gitError(
    'The git server asks for a user name and password: the repository is private, or there is none at this address. Nothing was changed.'
  )
}

export function noDeployKey(): AppError {
  return new AppError(
    'no_deploy_key',
    409,
    'There is no deploy key for this repository yet. Create one and add it to the repository before you clone.'
  )
}

export function notAnSshAddress(): AppError {
  return invalidRepositoryAddress(
    'Deploy keys work only with SSH addresses, such as git@host:path.'
  )
}

export function tooManyKeys(maxKeys: number): AppError {
  return conflict(
    `This server instance has ${maxKeys} deploy keys, which is the limit. No more can be created.`
  )
}

export function noSshServer(host: string, port: number): AppError {
  return invalidRepositoryAddress(
    `No SSH server answers at ${host}, port ${port}. Check the address.`
  )
}

/**
 * Creates the error for a server key that the account does not trust yet. With `offered`,
 * `errors.host_key` contains that fingerprint, and the user can confirm it.
 */
export function hostKeyUnknown(host: string, offered?: string): AppError {
  const message = offered
    ? `This account has not used the SSH server ${host} before. The server shows the key ${offered}. Compare it with the key that the server’s administrator publishes, then confirm it.`
    : `Nobody in this account has confirmed the key of the SSH server ${host} yet. Clone a repository from this server once, and confirm its key.`
  return new AppError('host_key_unknown', 409, message, offered ? hostKey(offered) : {})
}

export function hostKeyChanged(host: string, known: string, offered?: string): AppError {
  const shown = offered ? `now shows ${offered}` : 'now shows another key'
  const message = `The SSH server ${host} had the key ${known} and ${shown}. The server may have been reinstalled, or somebody may intercept the connection. Nothing was sent. Ask the administrator of the server.`
  return new AppError('host_key_changed', 409, message, offered ? hostKey(offered) : {})
}

function hostKey(offered: string) {
  return { errors: { host_key: [offered] } }
}

export function targetFolderNotEmpty(): AppError {
  const message = 'This folder is not empty. Choose another directory.'
  return new AppError('target_taken', 409, message, { errors: { directory: [message] } })
}

/** Errors by exit code of `machine/git.sh`. */
const outcomes: Record<number, () => AppError> = {
  20: pathOutsideWebRoot,
  21: () => new AppError('not_found', 404, 'This folder does not exist.'),
  31: noWebRoot,
  32: () =>
    conflict(
      'The web root of this server instance belongs to root, and git does not run as root here. Choose “Fix ownership” in the file manager.'
    ),
  33: () =>
    conflict(
      'Git is not installed on this server instance. Install the package git in the terminal.'
    ),
  34: () =>
    conflict(
      'The SSH client is not installed on this server instance. Install the package openssh-client in the terminal.'
    ),
  40: noRepository,
  41: () =>
    gitError(
      'This repository stores its data in another folder (it is a worktree, a submodule or a symbolic link). Use git in the terminal for it.'
    ),
  42: notOwnedByUser,
  43: badBranch,
  44: () => new AppError('not_found', 404, 'This branch does not exist.'),
  45: () => gitError('A merge is already in progress. Finish or abort it first.'),
  46: () => gitError('No branch is checked out. Check out a branch first.'),
  47: () => conflict('This is the current branch. Choose another one.'),
  48: () => conflict('Git is busy in this repository. Try again in a moment.'),
  49: () => gitError('This branch has no remote to pull from.'),
  52: targetFolderNotEmpty,
  53: () => gitError('The downloaded files are missing, so nothing was changed. Clone again.'),
  54: () => conflict('Only local branches can be deleted here.'),
  56: () => conflict('Git is running in this repository. Wait until it finishes, then try again.'),
  58: noMergeInProgress,
  59: () => new AppError('not_found', 404, 'This file has no conflict.'),
  60: () =>
    conflict(
      'This conflict is about a symbolic link or a submodule, not a text file. Keep one of the two sides.'
    ),
  61: () => conflict('Resolve all conflicts first.'),
  57: () => conflict('This lock is new, so git may still be running. Try again in a minute.'),
}

/**
 * Returns the error for an exit code of `machine/git.sh`. Returns null for success, and for codes
 * whose error the caller makes from the script's output.
 */
export function errorForExitCode(code: number | null): AppError | null {
  return (code !== null && outcomes[code]?.()) || null
}
