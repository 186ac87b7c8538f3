import type { Actor } from '#core/contracts/actor'
import type { AppError } from '#core/app_error'
import { allowLocalServersInTests } from '#git/repository_address'
import { Repository } from '#git/repository'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  lutimes,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { git, startGitServer, UNPRIVILEGED_USER } from '#git/tests/git_server'
import {
  commit,
  type GitTestMachine,
  startGitTestMachine,
  newRepository,
  publish,
  put,
} from '#git/tests/support'

const actor: Actor = {
  id: 1,
  audience: 'customer',
  account: null,
  name: 'Mira',
  email: 'mira@example.com',
  role: null,
}

async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    return error as AppError
  }
  throw new Error('It was not refused')
}

test.group('Repositories', (group) => {
  let ground: GitTestMachine
  group.setup(async () => {
    ground = await startGitTestMachine()
    return () => ground.end()
  })

  const at = (path: string) => new Repository(ground.machine, path)
  async function fresh(name: string = randomUUID()) {
    const folder = await newRepository(join(ground.root, name))
    return { name, folder, repository: at(name) }
  }
  const head = (folder: string) => git(folder, 'rev-parse', 'HEAD')

  test('lists the branches, also from a subfolder', async ({ assert }) => {
    const { name, folder, repository } = await fresh()
    await git(folder, 'branch', 'feature/one')
    const bare = await publish(folder, join(ground.outside, `${name}.git`))
    await git(folder, 'remote', 'add', 'team/a', bare)
    await git(folder, 'remote', 'add', 'origin', bare)
    await git(folder, 'fetch', '-q', '--all')
    await git(folder, 'remote', 'set-head', 'origin', 'main')
    await mkdir(join(folder, 'deep', 'er'), { recursive: true })
    const expected = {
      path: name,
      branches: {
        current: 'main',
        locals: ['feature/one', 'main'],
        remotes: { origin: ['feature/one', 'main'], 'team/a': ['feature/one', 'main'] },
      },
      detached: false,
      unborn: false,
      merging: false,
    }
    assert.deepEqual(await repository.details(), expected)
    assert.deepEqual(await at(`${name}/deep/er`).details(), expected)
  })

  test('reports a detached HEAD and an empty repository', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'checkout', '-q', '--detach')
    const detached = await repository.details()
    assert.isTrue(detached.detached)
    assert.match(detached.branches.current, /^[0-9a-f]{7,}$/)
    assert.equal((await refusalOf(repository.merge('main', actor))).status, 409)

    const empty = join(ground.root, randomUUID())
    await mkdir(empty)
    await chown(empty, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await git(empty, 'init', '-q', '-b', 'trunk')
    const unborn = await at(empty.slice(ground.root.length + 1)).details()
    assert.isTrue(unborn.unborn)
    assert.deepEqual(unborn.branches, { current: 'trunk', locals: [], remotes: {} })
  })

  test('distinguishes a folder without repository from a missing folder', async ({ assert }) => {
    await mkdir(join(ground.root, 'plain'), { recursive: true })
    assert.equal((await refusalOf(at('plain').details())).code, 'no_repository')
    assert.equal((await refusalOf(at('').details())).code, 'no_repository')
    assert.equal((await refusalOf(at('missing').details())).code, 'not_found')
  })

  test('checks out local branches, and creates one for a remote branch', async ({ assert }) => {
    const { name, folder, repository } = await fresh()
    await git(folder, 'branch', 'other')
    const bare = await publish(folder, join(ground.outside, `${name}.git`))
    await git(folder, 'push', '-q', bare, 'main:refs/heads/far')
    await git(folder, 'remote', 'add', 'origin', bare)
    await git(folder, 'fetch', '-q', 'origin')
    assert.deepEqual(await repository.checkout('other'), { branch: 'other' })
    assert.deepEqual(await repository.checkout('origin/far'), { branch: 'far' })
    assert.equal((await git(folder, 'rev-parse', '--abbrev-ref', 'far@{u}')).trim(), 'origin/far')
    assert.deepEqual(await repository.checkout('origin/main'), { branch: 'main' })
    assert.equal((await repository.details()).branches.current, 'main')
    assert.equal((await refusalOf(repository.checkout('nothing'))).status, 404)
  })

  test('rejects a checkout that would lose changes, and names the files', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'readme.txt', 'two\n')
    await git(folder, 'switch', '-q', 'main')
    await put(folder, 'readme.txt', 'mine\n')
    const refusal = await refusalOf(repository.checkout('other'))
    assert.equal(refusal.status, 409)
    assert.equal(refusal.code, 'local_changes')
    assert.include(refusal.message, 'uncommitted changes in these files: readme.txt.')
    assert.equal(await readFile(join(folder, 'readme.txt'), 'utf8'), 'mine\n')
    assert.equal((await repository.details()).branches.current, 'main')
  })

  test('merges, with the person as author if git has no user', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'other.txt', 'x\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'main.txt', 'y\n')
    assert.equal(await repository.merge('other', actor), 'changed')
    assert.equal(
      (await git(folder, 'log', '-1', '--format=%an %ae %s')).trim(),
      "Mira mira@example.com Merge branch 'other'"
    )
    assert.equal(await repository.merge('other', actor), 'unchanged')
    assert.equal((await refusalOf(repository.merge('main', actor))).status, 409)
  })

  test('aborts a merge with conflicts and names the files', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'readme.txt', 'theirs\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'readme.txt', 'ours\n')
    await put(folder, 'notes.txt', 'not committed\n')
    const before = await head(folder)
    const refusal = await refusalOf(repository.merge('other', actor))
    assert.equal(refusal.code, 'merge_conflict')
    assert.include(refusal.message, 'readme.txt')
    assert.equal(await head(folder), before)
    assert.equal(await git(folder, 'status', '--porcelain'), '?? notes.txt\n')
    assert.isFalse(existsSync(join(folder, '.git/MERGE_HEAD')))
  })

  test('rejects a merge that would overwrite uncommitted changes', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'new.txt', 'theirs\n')
    await commit(folder, 'readme.txt', 'theirs\n')
    await git(folder, 'switch', '-q', 'main')
    await put(folder, 'readme.txt', 'mine\n')
    const before = await head(folder)
    const changed = await refusalOf(repository.merge('other', actor))
    assert.equal(changed.code, 'local_changes')
    assert.include(changed.message, 'readme.txt')
    await git(folder, 'checkout', '-q', '--', 'readme.txt')
    await put(folder, 'new.txt', 'mine\n')
    const untracked = await refusalOf(repository.merge('other', actor))
    assert.equal(untracked.code, 'local_changes')
    assert.include(untracked.message, 'new.txt')
    assert.equal(await head(folder), before)
  })

  test('explains branches that cannot be merged', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '--orphan', 'alone')
    await commit(folder, 'alone.txt', 'x\n')
    await git(folder, 'switch', '-q', 'main')
    const unrelated = await refusalOf(repository.merge('alone', actor))
    assert.include(unrelated.message, 'no commit in common')
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'other.txt', 'x\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'main.txt', 'x\n')
    await git(folder, 'config', 'merge.ff', 'only')
    const diverged = await refusalOf(repository.merge('other', actor))
    assert.include(diverged.message, 'merge.ff')
  })

  test('reports a stale lock, and removes it when no git runs', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'branch', 'other')
    const lock = join(folder, '.git/index.lock')
    await put(folder, '.git/index.lock', '')
    assert.equal((await refusalOf(repository.checkout('other'))).code, 'locked')
    assert.include((await refusalOf(repository.removeLock())).message, 'This lock is new')
    assert.isTrue(existsSync(lock))

    const old = new Date(Date.now() - 60_000)
    await utimes(lock, old, old)
    for (const as of [UNPRIVILEGED_USER, { uid: 12345, gid: 12345 }, { uid: 0, gid: 0 }]) {
      await mkdir(join(folder, 'deep'), { recursive: true })
      const argv = ['-c', 'safe.directory=*', 'cat-file', '--batch']
      const running = spawn('git', argv, { cwd: join(folder, 'deep'), ...as, stdio: 'pipe' })
      await once(running, 'spawn')
      const refusal = await refusalOf(repository.removeLock())
      running.stdin.end()
      await once(running, 'exit')
      assert.include(refusal.message, 'Git is running')
      assert.isTrue(existsSync(lock))
    }
    // Retried, because git processes of other tests on this machine also count as a running git.
    await eventually(() => repository.removeLock())
    assert.isFalse(existsSync(lock))
    await repository.removeLock()
    assert.deepEqual(await repository.checkout('other'), { branch: 'other' })

    await put(folder, '.git/HEAD.lock', '')
    assert.include((await refusalOf(repository.checkout('main'))).message, '.git/HEAD.lock')
  })

  test('removes a link in place of the lock, but not its target', async ({ assert }) => {
    const { folder, repository } = await fresh()
    const target = join(ground.outside, randomUUID())
    await writeFile(target, 'x')
    const old = new Date(Date.now() - 60_000)
    await symlink(target, join(folder, '.git/index.lock'))
    await lutimes(join(folder, '.git/index.lock'), old, old)
    await eventually(() => repository.removeLock())
    assert.isTrue(existsSync(target))
    assert.isFalse(existsSync(join(folder, '.git/index.lock')))
  })

  test('does not change a merge that was started in the terminal', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'readme.txt', 'theirs\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'readme.txt', 'ours\n')
    await git(folder, 'merge', 'other').catch(() => {})
    assert.isTrue(existsSync(join(folder, '.git/MERGE_HEAD')))
    assert.include((await refusalOf(repository.merge('other', actor))).message, 'in progress')
    assert.isTrue(existsSync(join(folder, '.git/MERGE_HEAD')))
  })

  test('deletes only merged local branches, never the current one', async ({ assert }) => {
    const { name, folder, repository } = await fresh()
    await git(folder, 'branch', 'done')
    await git(folder, 'switch', '-q', '-c', 'open')
    await commit(folder, 'open.txt', 'x\n')
    await git(folder, 'switch', '-q', 'main')
    const bare = await publish(folder, join(ground.outside, `${name}.git`))
    await git(folder, 'remote', 'add', 'origin', bare)
    await git(folder, 'fetch', '-q', 'origin')
    await repository.delete('done')
    assert.include((await refusalOf(repository.delete('open'))).message, 'not fully merged')
    assert.include((await refusalOf(repository.delete('main'))).message, 'current branch')
    assert.include((await refusalOf(repository.delete('origin/open'))).message, 'Only local')
    assert.equal((await refusalOf(repository.delete('done-not'))).status, 404)
    assert.deepEqual((await repository.details()).branches.locals, ['main', 'open'])
  })

  test('pulls from the remote', async ({ assert, cleanup }) => {
    const { name, folder, repository } = await fresh()
    const served = join(ground.outside, 'served')
    await mkdir(served, { recursive: true })
    await chown(served, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await publish(folder, join(served, `${name}.git`))
    const server = await startGitServer(served, { username: 'u', password: 'p' })
    cleanup(() => server.close())
    await git(folder, 'remote', 'add', 'origin', `${server.url}/${name}.git`)
    await git(folder, 'fetch', '-q', 'origin')

    const colleague = join(ground.outside, `${name}-colleague`)
    await git(ground.outside, 'clone', '-q', join(served, `${name}.git`), colleague)
    await commit(colleague, 'news.txt', 'news\n')
    await git(colleague, 'push', '-q', 'origin', 'main')

    assert.include(
      (await refusalOf(repository.pull('origin/main', actor))).message,
      'private network'
    )
    assert.isFalse(existsSync(join(folder, 'news.txt')))
    allowLocalServersInTests(true)
    cleanup(() => allowLocalServersInTests(false))
    assert.equal(await repository.pull('origin/main', actor), 'changed')
    assert.equal(await readFile(join(folder, 'news.txt'), 'utf8'), 'news\n')
    assert.equal(await repository.pull('origin/main', actor), 'unchanged')

    await git(folder, 'branch', 'alone')
    assert.equal((await refusalOf(repository.pull('alone', actor))).status, 409)
  })

  test('rejects remotes that are programs or local paths', async ({ assert }) => {
    for (const url of [
      'ext::touch /tmp/berth-git-owned',
      'ext::sh -c id%3ax',
      '/etc',
      '../../etc',
      'file:///etc',
      '-oProxyCommand=touch:x',
      'fd::3',
    ]) {
      const { folder, repository } = await fresh()
      await git(folder, 'config', 'remote.origin.url', url)
      await git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
      const refusal = await refusalOf(repository.pull('origin/main', actor))
      assert.include(refusal.message, 'neither', url)
    }
    assert.isFalse(existsSync('/tmp/berth-git-owned'))
  })

  for (const branch of [
    '--upload-pack=touch /tmp/berth-git-owned',
    '-f',
    '@{-1}',
    'a..b',
    'a b',
    'main^{commit}',
    ':/Write',
    '',
  ]) {
    test(`rejects ${JSON.stringify(branch)} as a branch`, async ({ assert }) => {
      const { folder, repository } = await fresh()
      const before = await head(folder)
      for (const work of [
        () => repository.checkout(branch),
        () => repository.merge(branch, actor),
        () => repository.pull(branch, actor),
        () => repository.delete(branch),
      ]) {
        assert.equal((await refusalOf(work())).status, 422)
      }
      assert.equal(await head(folder), before)
      assert.isFalse(existsSync('/tmp/berth-git-owned'))
    })
  }

  test('works with unusual but valid names', async ({ assert }) => {
    const odd = `$(touch x);'"\`&|<>é 日本 -rf\n#`
    const { folder, repository } = await fresh(odd)
    for (const branch of [`a$(id);c'"d|f&g{h}`, 'é/日本', 'origin/main']) {
      await git(folder, 'branch', branch)
      assert.deepEqual(await repository.checkout(branch), { branch })
      await repository.checkout('main')
      assert.equal(await repository.merge(branch, actor), 'unchanged')
      await repository.delete(branch)
    }
    const info = await repository.details()
    assert.deepEqual(info.branches, { current: 'main', locals: ['main'], remotes: {} })
    assert.equal(info.path, odd)
  })

  test('a symbolic link cannot lead out of the web root', async ({ assert }) => {
    const elsewhere = await newRepository(join(ground.outside, randomUUID()))
    const name = randomUUID()
    await symlink(elsewhere, join(ground.root, name))
    assert.equal((await refusalOf(at(name).details())).status, 422)

    const linked = await fresh()
    await rename(join(linked.folder, '.git'), join(ground.outside, `${linked.name}.data`))
    await symlink(join(ground.outside, `${linked.name}.data`), join(linked.folder, '.git'))
    assert.equal((await refusalOf(linked.repository.details())).status, 409)

    const pointed = randomUUID()
    await mkdir(join(ground.root, pointed))
    await writeFile(join(ground.root, pointed, '.git'), `gitdir: ${elsewhere}/.git\n`)
    assert.equal((await refusalOf(at(pointed).details())).status, 409)
  })

  test('reports a failed hook with its output, and whether the branch changed', async ({
    assert,
  }) => {
    const { folder, repository } = await fresh()
    const hook = async (name: string) => {
      const path = `.git/hooks/${name}`
      await put(folder, path, `#!/bin/sh\necho first >&2\necho 'error: second' >&2\nexit 3\n`)
      await chmod(join(folder, path), 0o755)
    }
    await git(folder, 'switch', '-q', '-c', 'other')
    await commit(folder, 'other.txt', 'other\n')
    await git(folder, 'switch', '-q', 'main')
    await commit(folder, 'main.txt', 'main\n')
    const before = await head(folder)

    await hook('pre-merge-commit')
    const refusal = await refusalOf(repository.merge('other', actor))
    assert.equal(refusal.status, 409)
    assert.include(refusal.message, 'Nothing was changed. The hook pre-merge-commit failed')
    assert.include(refusal.message, 'first\nerror: second')
    assert.equal(await head(folder), before)
    assert.isFalse(existsSync(join(folder, '.git/MERGE_HEAD')))

    await hook('post-checkout')
    const { branch, error } = await repository.checkout('other')
    assert.equal(branch, 'other')
    assert.equal(error, 'The hook post-checkout failed:\nfirst\nerror: second')
    assert.equal((await repository.details()).branches.current, 'other')
  })

  test('reports no hook if git itself cannot check out a branch', async ({ assert }) => {
    const { name, folder, repository } = await fresh()
    const hook = async (at: string) => {
      await put(at, '.git/hooks/post-checkout', '#!/bin/sh\nexit 0\n')
      await chmod(join(at, '.git/hooks/post-checkout'), 0o755)
    }
    await hook(folder)
    await put(folder, '.git/index.lock', '')
    assert.equal((await refusalOf(repository.checkout('main'))).code, 'locked')
    await rm(join(folder, '.git/index.lock'))

    await commit(folder, 'readme.txt', 'two\n')
    await put(folder, 'readme.txt', 'stashed\n')
    await git(folder, 'stash', '-q')
    await commit(folder, 'readme.txt', 'three\n')
    await git(folder, 'stash', 'pop', '-q').catch(() => {})
    const unmerged = await refusalOf(repository.checkout('main'))
    assert.include(unmerged.message, 'resolve your current index first')
    assert.notInclude(unmerged.message, 'hook')

    await git(folder, 'reset', '-q', '--hard')
    await git(folder, 'switch', '-q', '-c', 'other', 'HEAD~1')
    await put(folder, 'readme.txt', 'changed\n')
    assert.equal((await refusalOf(repository.checkout('main'))).code, 'local_changes')

    // Checks out `main` in a repository whose current branch, also `main`, has no commit yet.
    const bare = await publish(folder, join(ground.outside, `${name}.git`))
    const unborn = join(ground.root, randomUUID())
    await mkdir(unborn)
    await chown(unborn, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await git(unborn, 'init', '-q', '-b', 'main')
    await git(unborn, 'remote', 'add', 'origin', bare)
    await git(unborn, 'fetch', '-q', 'origin')
    await put(unborn, 'readme.txt', 'mine\n')
    await hook(unborn)
    const refusal = await refusalOf(at(basename(unborn)).checkout('origin/main'))
    assert.equal(refusal.code, 'local_changes')
    assert.include(refusal.message, 'readme.txt')
  })

  test('names a failing hook, even if the branch was already checked out', async ({ assert }) => {
    const { folder, repository } = await fresh()
    await put(folder, '.git/hooks/post-checkout', '#!/bin/sh\necho no >&2\nexit 1\n')
    await chmod(join(folder, '.git/hooks/post-checkout'), 0o755)
    const refusal = await refusalOf(repository.checkout('main'))
    assert.equal(refusal.message, 'Nothing was changed. The hook post-checkout failed:\nno')
  })

  test('runs no hooks or settings of another user, and nothing as root', async ({ assert }) => {
    const foreign = await fresh()
    const trap = join(ground.outside, randomUUID())
    await git(foreign.folder, 'config', 'core.fsmonitor', `touch ${trap}; false`)
    await chown(join(foreign.folder, '.git/config'), 12345, 12345)
    assert.include((await refusalOf(foreign.repository.checkout('main'))).message, 'another user')
    assert.isFalse(existsSync(trap))

    const own = await fresh()
    const who = join(ground.outside, randomUUID())
    await put(own.folder, '.git/hooks/post-checkout', `#!/bin/sh\nid -u > ${who}\n`)
    await git(own.folder, 'branch', 'other')
    await chmod(join(own.folder, '.git/hooks/post-checkout'), 0o755)
    await own.repository.checkout('other')
    assert.equal((await readFile(who, 'utf8')).trim(), String(UNPRIVILEGED_USER.uid))

    await chown(ground.root, 0, 0)
    try {
      assert.include((await refusalOf(own.repository.details())).message, 'does not run as root')
    } finally {
      await chown(ground.root, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    }
  })
})
