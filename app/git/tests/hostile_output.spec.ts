import { gitCommandError, gitErrorMessage, gitTransferError } from '#git/git_error_messages'
import { Repository } from '#git/repository'
import type { ExecResult, Machine } from '#packages/machine/main'
import { startCpuTimer } from '#tests/support/cpu_timer'
import { test } from '@japa/runner'

/** Returns a repository on a fake machine, whose git prints `stdout`. */
function repository(stdout: string): Repository {
  const result: ExecResult = {
    code: 0,
    signal: null,
    stdout: Buffer.from(stdout),
    stderr: Buffer.alloc(0),
  }
  return new Repository({ exec: async () => result } as unknown as Machine, '')
}

const details = (remotes: string[], refs: string[]) =>
  `/site\0refs/heads/main\n\n\n${remotes.join('\n')}\n\n${refs.join('\n')}\n`

test.group('Output of a manipulated git program', () => {
  test('branches belong to the remote with the longest matching name', async ({ assert }) => {
    const refs = [
      'refs/heads/main',
      'refs/remotes/a/b/c',
      'refs/remotes/a/c',
      'refs/remotes/a/HEAD refs/remotes/a/c',
      'refs/remotes/unknown/c',
      'refs/remotes/ab/x/y',
    ]
    const { branches } = await repository(details(['a', 'a/b', 'ab'], refs)).details()
    assert.deepEqual(branches.locals, ['main'])
    assert.deepEqual(branches.remotes, { a: ['c'], 'a/b': ['c'], ab: ['x/y'] })
  })

  test('thousands of remotes and branches are read quickly', async ({ assert }) => {
    const remotes = Array.from({ length: 30_000 }, (_, index) => `remote-${index}`)
    const refs = remotes.map((name) => `refs/remotes/${name}/${'x/'.repeat(20)}main`)
    const cpuMs = startCpuTimer()
    const { branches } = await repository(details(remotes, refs)).details()
    assert.isBelow(cpuMs(), 10_000)
    assert.lengthOf(Object.keys(branches.remotes), 30_000)
  })

  test('more branches than pages can list are rejected', async ({ assert }) => {
    const work = repository(`/site\0refs/heads/main\n\n\n${'\n'.repeat(3_000_000)}`).details()
    await assert.rejects(() => work, /more than 100,000 branches/)
  })

  test('megabytes of error output are read quickly', ({ assert }) => {
    const cpuMs = startCpuTimer()
    for (const filler of ['a', 'a://', "Unable to create '/.git/", '/.git/', '\n', '\tx\n']) {
      const stderr = filler.repeat(Math.ceil(4_000_000 / filler.length))
      gitErrorMessage(stderr)
      gitCommandError(`${stderr}\nlocal changes would be lost`)
      gitTransferError(`Unable to create '${stderr}`)
    }
    assert.isBelow(cpuMs(), 20_000)
  })

  test('long output keeps its beginning and end, and shows no part of a secret', ({ assert }) => {
    const middle = 'remote: https://me:secret@host/\n'.repeat(20_000)
    const message = gitErrorMessage(`fatal: first\n${middle}fatal: last`)
    assert.match(message, /^first\n/)
    assert.notInclude(message, 'secret')
    const changed = gitCommandError(
      `error: Your local changes would be overwritten by merge:\n${'\ta-file\n'.repeat(50_000)}Aborting`
    )
    assert.equal(changed.code, 'local_changes')
  })
})
