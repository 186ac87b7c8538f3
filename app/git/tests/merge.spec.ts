import type { AppError } from '#core/app_error'
import { MergeInProgress } from '#git/merge_in_progress'
import { Repository } from '#git/repository'
import type { ServerInstance } from '#instances/public'
import type { Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { chown, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { git, UNPRIVILEGED_USER } from '#git/tests/git_server'
import {
  commit,
  type GitTestMachine,
  startGitTestMachine,
  newOwner,
  newRepository,
  put,
} from '#git/tests/support'

const run = promisify(execFile)

async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    return error as AppError
  }
  throw new Error('It was not refused')
}

test.group('Merges with conflicts', (group) => {
  let ground: GitTestMachine
  let browser: Visitor
  let instance: ServerInstance
  let template: string
  group.setup(async () => {
    ground = await startGitTestMachine()
    ;({ browser, instance } = await newOwner(ground))
    template = join(ground.outside, 'diverged')
    await diverge(template)
    return () => ground.end()
  })

  const odd = `a $(id);'"é\\ b.txt`
  /**
   * Creates a repository whose merge has conflicts. They are text and binary files that both sides
   * changed, a file that we deleted, one that they deleted, and a link of ours.
   */
  async function diverge(folder: string) {
    await newRepository(folder)
    await mkdir(join(folder, 'deep'))
    await chown(join(folder, 'deep'), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    for (const file of [odd, 'deep/gone-here', 'gone-there', 'link', 'untouched']) {
      await commit(folder, file, 'base\n')
    }
    await commit(folder, 'picture', '\0base')
    await git(folder, 'switch', '-q', '-c', 'other')
    for (const file of [odd, 'deep/gone-here', 'link', 'untouched']) {
      await commit(folder, file, 'theirs\n')
    }
    await commit(folder, 'picture', '\0theirs')
    await git(folder, 'rm', '-q', 'gone-there')
    await git(folder, 'commit', '-q', '-m', 'Remove')
    await git(folder, 'switch', '-q', 'main')
    for (const file of [odd, 'gone-there']) await commit(folder, file, 'ours\n')
    await commit(folder, 'picture', '\0ours')
    await git(folder, 'rm', '-q', 'link', 'deep/gone-here')
    await symlink('/etc/passwd', join(folder, 'link'))
    await git(folder, 'add', 'link')
    await git(folder, 'commit', '-q', '-m', 'Link')
    await mkdir(join(folder, 'deep'), { recursive: true })
    await chown(join(folder, 'deep'), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
  }

  /** Returns a copy of the template repository, because creating one runs git dozens of times. */
  async function diverged() {
    const name = randomUUID()
    const folder = join(ground.root, name)
    await run('cp', ['-a', template, folder])
    return {
      name,
      folder,
      place: { path: name, server_instance_id: instance.id },
      repository: new Repository(ground.machine, name),
      merge: new MergeInProgress(ground.machine, name),
    }
  }
  const actor = {
    id: 1,
    audience: 'customer' as const,
    account: null,
    role: null,
    name: 'Mira',
    email: 'mira@example.com',
  }
  const text = (folder: string, file: string) => readFile(join(folder, file), 'utf8')

  test('a merge with conflicts is aborted by default, or kept open with both sides of each file', async ({
    assert,
  }) => {
    const { folder, repository, merge } = await diverged()
    const refusal = await refusalOf(repository.merge('other', actor))
    assert.equal(refusal.code, 'merge_conflict')
    assert.isFalse((await repository.details()).merging)
    assert.equal((await refusalOf(merge.read())).code, 'no_merge')

    assert.equal(await repository.merge('other', actor, true), 'conflicts')
    assert.isTrue((await repository.details()).merging)
    const { title, conflicts } = await merge.read()
    assert.equal(title, "Merge branch 'other'")
    const files = Object.fromEntries(conflicts.map(({ file, ...sides }) => [file, sides]))
    assert.deepEqual(files[odd], { ours: 'file', theirs: 'file' })
    assert.deepEqual(files['deep/gone-here'], { ours: 'deleted', theirs: 'file' })
    assert.deepEqual(files['gone-there'], { ours: 'file', theirs: 'deleted' })
    assert.isUndefined(files['untouched'])
    assert.deepEqual(await merge.sides(odd), {
      ours: { kind: 'text', text: 'ours\n' },
      theirs: { kind: 'text', text: 'theirs\n' },
    })
    assert.deepEqual(await merge.sides('picture'), {
      ours: { kind: 'binary', size: 5 },
      theirs: { kind: 'binary', size: 7 },
    })
    assert.deepEqual((await merge.sides('deep/gone-here')).ours, { kind: 'deleted' })
    for (const file of ['untouched', 'deep', 'missing', '.git/config']) {
      assert.equal((await refusalOf(merge.sides(file))).status, 404, file)
      const solving = merge.solve(file, { keep: 'text', text: 'x' })
      assert.equal((await refusalOf(solving)).status, 404, file)
    }
    assert.equal(await text(folder, 'untouched'), 'theirs\n')
  })

  test('conflicts are resolved file by file, and the merge commit has the usual author', async ({
    assert,
  }) => {
    const { folder, repository, merge } = await diverged()
    await repository.merge('other', actor, true)
    assert.include((await refusalOf(merge.finish(actor))).message, 'Resolve all conflicts first')
    await merge.solve(odd, { keep: 'text', text: 'both\nof them, é' })
    await merge.solve('picture', { keep: 'theirs' })
    await merge.solve('deep/gone-here', { keep: 'ours' })
    await merge.solve('gone-there', { keep: 'ours' })
    for (const { file } of (await merge.read()).conflicts) {
      await merge.solve(file, { keep: 'ours' })
    }
    assert.deepEqual((await merge.read()).conflicts, [])
    assert.equal((await refusalOf(merge.solve(odd, { keep: 'ours' }))).status, 404)
    await merge.finish(actor)
    assert.isFalse((await repository.details()).merging)
    assert.equal(await text(folder, odd), 'both\nof them, é')
    assert.equal(await text(folder, 'picture'), '\0theirs')
    assert.equal(await text(folder, 'gone-there'), 'ours\n')
    assert.isFalse(existsSync(join(folder, 'deep/gone-here')))
    assert.equal(await git(folder, 'status', '--porcelain'), '')
    const log = await git(folder, 'log', '-1', '--format=%an %ae %s %p')
    assert.match(log, /^Mira mira@example.com Merge branch 'other' \w+ \w+$/m)
  })

  test('aborts a merge that was started in the terminal and is partly resolved', async ({
    assert,
  }) => {
    const { folder, repository, merge } = await diverged()
    const before = await git(folder, 'rev-parse', 'HEAD')
    await git(folder, 'merge', '-q', 'other').catch(() => {})
    assert.isTrue((await repository.details()).merging)
    await merge.solve(odd, { keep: 'theirs' })
    await merge.abort()
    assert.equal(await git(folder, 'rev-parse', 'HEAD'), before)
    assert.equal(await text(folder, odd), 'ours\n')
    assert.equal(await git(folder, 'status', '--porcelain'), '')
    assert.equal((await refusalOf(merge.abort())).code, 'no_merge')
    assert.equal((await refusalOf(merge.finish(actor))).code, 'no_merge')
  })

  test('writes no text through a symbolic link', async ({ assert }) => {
    const { folder, repository, merge } = await diverged()
    await repository.merge('other', actor, true)
    const outside = join(ground.outside, randomUUID())
    await mkdir(outside)
    await chown(outside, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await writeFile(join(outside, 'target'), 'safe')
    await chown(join(outside, 'target'), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await rm(join(folder, odd))
    await symlink(join(outside, 'target'), join(folder, odd))
    await merge.solve(odd, { keep: 'text', text: 'mine' })
    assert.equal(await readFile(join(outside, 'target'), 'utf8'), 'safe')
    assert.isTrue(lstatSync(join(folder, odd)).isFile())
    assert.equal(await text(folder, odd), 'mine')

    await rm(join(folder, 'deep'), { recursive: true })
    await symlink(outside, join(folder, 'deep'))
    for (const keep of ['text', 'theirs'] as const) {
      const solution = keep === 'text' ? { keep, text: 'mine' } : { keep }
      await merge.solve('deep/gone-here', solution).catch(() => {})
      assert.isFalse(existsSync(join(outside, 'gone-here')), keep)
    }
  })

  test('a link or submodule is kept or removed, never edited as text', async ({ assert }) => {
    const { folder, repository, merge } = await diverged()
    await git(folder, 'rm', '-q', 'picture')
    await symlink('/etc/passwd', join(folder, 'picture'))
    await git(folder, 'add', 'picture')
    await git(folder, 'commit', '-q', '-m', 'A link')
    await git(folder, 'switch', '-q', 'other')
    await git(folder, 'rm', '-q', 'picture')
    await symlink('/etc/hostname', join(folder, 'picture'))
    await git(folder, 'add', 'picture')
    await git(folder, 'commit', '-q', '-m', 'Another link')
    await git(folder, 'switch', '-q', 'main')
    await repository.merge('other', actor, true)
    const { conflicts } = await merge.read()
    const found = conflicts.find(({ file }) => file === 'picture')
    assert.deepInclude(found, { ours: 'link', theirs: 'link' })
    assert.equal((await refusalOf(merge.sides('picture'))).status, 409)
    const solving = merge.solve('picture', { keep: 'text', text: 'x' })
    assert.equal((await refusalOf(solving)).status, 409)
    await merge.solve('picture', { keep: 'theirs' })
    assert.isTrue(lstatSync(join(folder, 'picture')).isSymbolicLink())
  })

  test('reports files that are too large for the editor', async ({ assert }) => {
    const { folder, repository, merge } = await diverged()
    await commit(folder, odd, 'x'.repeat(2 * 1024 * 1024 + 1))
    await repository.merge('other', actor, true)
    const { ours, theirs } = await merge.sides(odd)
    assert.deepEqual(ours, { kind: 'large', size: 2 * 1024 * 1024 + 1 })
    assert.deepEqual(theirs, { kind: 'text', text: 'theirs\n' })
  })

  test('resolves conflicts through the API', async ({ assert }) => {
    const { place, folder } = await diverged()
    const query = new URLSearchParams(place as unknown as Record<string, string>)
    const none = await browser.get(`/git/conflicts?${query}`)
    assert.equal(none.status, 409)
    const update = { ...place, branch: 'other', action: 'merge' }
    assert.equal((await browser.post('/git/update-branch', update)).json.code, 'merge_conflict')
    const begun = await browser.post('/git/update-branch', { ...update, keep_conflicts: true })
    assert.deepEqual(begun.json.data, { changed: true, merging: true })
    const again = await browser.post('/git/update-branch', update)
    assert.include(again.json.message, 'in progress')

    const list = await browser.get(`/git/conflicts?${query}`)
    const { conflicts } = list.json.data!.merge as { conflicts: { file: string }[] }
    const sides = await browser.get(`/git/conflict?${query}&file=${encodeURIComponent(odd)}`)
    assert.deepEqual(sides.json.data!.sides, {
      ours: { kind: 'text', text: 'ours\n' },
      theirs: { kind: 'text', text: 'theirs\n' },
    })
    for (const file of ['../x', '/etc/passwd\0', '.git/../../x']) {
      const out = await browser.post('/git/solve-conflict', { ...place, file, keep: 'ours' })
      assert.equal(out.status, 422, file)
    }
    const missing = await browser.post('/git/solve-conflict', { ...place, file: odd, keep: 'text' })
    assert.equal(missing.status, 422)
    for (const { file } of conflicts) {
      const text = file === odd ? { keep: 'text', text: '' } : { keep: 'ours' }
      const solved = await browser.post('/git/solve-conflict', { ...place, file, ...text })
      assert.equal(solved.status, 200, solved.text)
    }
    const finished = await browser.post('/git/finish-merge', place)
    assert.equal(finished.status, 200, finished.text)
    assert.equal(await readFile(join(folder, odd), 'utf8'), '')
    assert.equal((await browser.post('/git/abort-merge', place)).json.code, 'no_merge')

    await put(folder, '.git/index.lock', '')
    const branch = { ...place, branch: 'other' }
    assert.equal((await browser.post('/git/checkout', branch)).json.code, 'locked')
    assert.equal((await browser.post('/git/remove-lock', place)).status, 409)
  })
})
