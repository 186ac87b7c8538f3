import type { AppError } from '#core/app_error'
import {
  diskFull,
  gitError,
  hostKeyChanged,
  localChanges,
  repositoryLocked,
  signInNeeded,
  cannotFastForward,
  unrelatedHistories,
} from '#git/errors'

/** The reason of an error is at the beginning or the end of the output. */
const MAX_HALF_LENGTH = 64 * 1024

/**
 * Cuts long output in its middle, because root of the instance can replace git by a program that
 * prints any amount. Cuts at line ends: half a line could contain half a secret.
 */
function shortened(stderr: string): string {
  if (stderr.length <= 2 * MAX_HALF_LENGTH) return stderr
  const head = stderr.slice(0, stderr.lastIndexOf('\n', MAX_HALF_LENGTH) + 1)
  const tailStart = stderr.indexOf('\n', stderr.length - MAX_HALF_LENGTH)
  return tailStart === -1 ? head : head + stderr.slice(tailStart + 1)
}

/**
 * Returns git's error message: everything from the first `fatal:` or `error:` line on, or only the
 * last line. Removes terminal codes, secrets, and credentials in URLs.
 */
export function gitErrorMessage(stderr: string, secrets: string[] = []): string {
  const lines = readableLines(stderr, secrets)
  const from = lines.findIndex((line) => /^(fatal|error):/.test(line))
  const relevant = from === -1 ? lines.slice(-1) : lines.slice(from)
  return relevant
    .filter((line) => !/^(hint|Cloning into|Switched to)\b/.test(line))
    .map((line) => line.replace(/^(fatal|error): /, ''))
    .join('\n')
    .slice(0, 1_000)
}

function readableLines(stderr: string, secrets: string[] = []): string[] {
  let text = shortened(stderr)
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '•••')
  return text
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/(\w{1,20}:\/\/)[^\s/@]+@/g, '$1')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean)
}

export function hookErrorMessage(hook: string, stderr: string): string {
  const output = readableLines(stderr).join('\n').slice(0, 2_000)
  return `The hook ${hook} failed${output === '' ? ' without a message.' : `:\n${output}`}`
}

interface Transfer {
  secrets?: string[]
  server?: { host: string; fingerprint: string }
}

export function gitTransferError(stderr: string, { secrets, server }: Transfer = {}): AppError {
  const text = shortened(stderr)
  const message = gitErrorMessage(text, secrets)
  if (!secrets && /could not read (Username|Password)/i.test(text)) {
    return signInNeeded()
  }
  if (/could not read (Username|Password)|Authentication failed|error: 40[13]/i.test(text)) {
    // The clone form detects this error by its text.
    return gitError(
      'The git server did not accept the user name and password. Nothing was changed. Check them and try again.'
    )
  }
  if (/error: 30\d|redirect/i.test(text)) {
    return gitError(
      'The git server redirects this address to another one. Enter the final address, which often ends in .git.'
    )
  }
  return (
    commonGitError(text) ??
    sshFailed(text, server) ??
    gitError(message || 'The git server could not be reached. Check the address, then try again.')
  )
}

/** Returns an error with Berth's own message if it is a common one, otherwise with git's message. */
export function gitCommandError(stderr: string, otherwise = 'The git command failed.'): AppError {
  const text = shortened(stderr)
  return commonGitError(text) ?? gitError(gitErrorMessage(text) || otherwise)
}

const LOCK_PATTERN = /Unable to create '[^'\n]{0,4096}\/\.git\/([^'\n]{1,1024}\.lock)': File exists/

function commonGitError(stderr: string): AppError | null {
  if (/No space left on device|Disk quota exceeded/i.test(stderr)) return diskFull()
  const lock = LOCK_PATTERN.exec(stderr)
  if (lock) return repositoryLocked(lock[1])
  if (/would be overwritten by (merge|checkout)|local changes would be lost/i.test(stderr)) {
    return localChanges([...stderr.matchAll(/^\t(.+)$/gm)].map(([, file]) => file))
  }
  if (/refusing to merge unrelated histories/.test(stderr)) return unrelatedHistories()
  if (/Not possible to fast-forward/i.test(stderr)) return cannotFastForward()
  return null
}

function sshFailed(stderr: string, server: Transfer['server']): AppError | null {
  if (/Host key verification failed|no matching host key type/i.test(stderr)) {
    if (server) return hostKeyChanged(server.host, server.fingerprint, shownBy(stderr))
    return gitError(
      'The SSH server shows another key than the one that this server instance stored. Check the key in the terminal.'
    )
  }
  if (/Permission denied \((?:[a-z-]+,)*publickey/i.test(stderr)) {
    return gitError(
      server
        ? 'The git server did not accept the deploy key. Add it to the repository, then try again.'
        : 'The git server did not accept any SSH key of this server instance.'
    )
  }
  if (/^ssh: connect to host/im.test(stderr)) {
    return gitError('The SSH server could not be reached. Check the host and port in the address.')
  }
  if (/^ERROR: (Repository|The project)/im.test(stderr)) {
    return gitError(
      'The git server has no repository at this address that this key may read. Check the address, and check that the deploy key was added to the repository.'
    )
  }
  return null
}

function shownBy(stderr: string): string | undefined {
  return /^(SHA256:[A-Za-z0-9+/]{43})\.?$/m.exec(stderr.replaceAll('\r', ''))?.[1]
}
