import { gitCommandError, gitTransferError } from '#git/git_error_messages'
import { test } from '@japa/runner'

test.group('Error messages of git', () => {
  for (const [stderr, status, words] of [
    ['fatal: write error: No space left on device', 507, 'Free some space'],
    ['error: unable to write file x: Disk quota exceeded', 507, 'Free some space'],
    [
      'error: insufficient permission for adding an object to repository database .git/objects',
      403,
      'Fix ownership',
    ],
    ["error: cannot open '.git/FETCH_HEAD': Permission denied", 403, 'Fix ownership'],
    [
      "fatal: Unable to create '/srv/a/.git/index.lock': File exists.\n\nAnother git process seems to be running",
      409,
      'remove the lock',
    ],
    [
      "fatal: Unable to create '/srv/a/.git/refs/heads/x.lock': File exists.",
      409,
      '.git/refs/heads/x.lock',
    ],
    [
      'error: The following untracked working tree files would be overwritten by merge:\n\ta b.txt\nPlease move or remove them',
      409,
      ': a b.txt. Commit',
    ],
    ['fatal: refusing to merge unrelated histories', 409, 'no commit in common'],
    ['fatal: Not possible to fast-forward, aborting.', 409, 'merge.ff'],
    ['fatal: something new', 409, 'something new'],
  ] as const) {
    test(`adds advice to: ${stderr.slice(0, 50)}`, ({ assert }) => {
      const refusal = gitCommandError(stderr)
      assert.equal(refusal.status, status)
      assert.include(refusal.message, words)
    })
  }

  for (const [stderr, words] of [
    [
      'git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.',
      'did not accept any SSH key',
    ],
    ['ssh: connect to host host port 22: Connection timed out', 'could not be reached'],
    ['ERROR: Repository not found.\nfatal: Could not read', 'no repository at this address'],
    ['Host key verification failed.', 'Check the key in the terminal'],
  ] as const) {
    test(`adds advice for SSH to: ${stderr.slice(0, 40)}`, ({ assert }) => {
      const refusal = gitTransferError(stderr)
      assert.equal(refusal.status, 409)
      assert.include(refusal.message, words)
    })
  }
})
