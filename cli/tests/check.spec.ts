import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { listChangedFiles } from '../changed_files.js'
import { checks, checksForFiles } from '../check.js'
import { runOrThrow } from '../run_program.js'

const titlesOf = (changed: string[]) => checksForFiles(changed).map(({ title }) => title)

test.group('`berth check`', () => {
  test('each check has a text that says what to do if it fails', ({ assert }) => {
    for (const { title, fix } of checks) assert.isAbove(fix.length, 10, title)
  })

  test('a changed guide causes no type check', ({ assert }) => {
    assert.sameMembers(titlesOf(['docs/guides/monitoring.md']), [
      'Spelling',
      'Plain language',
      'A test for each promise',
    ])
    assert.isEmpty(checksForFiles([]))
  })

  test('a changed source file is passed to the tools that can check single files', ({ assert }) => {
    const changed = checksForFiles(['cli/check.ts'])
    const withFile = changed.filter(({ argv }) => argv.includes('cli/check.ts'))
    assert.sameMembers(
      withFile.map(({ title }) => title),
      ['Formatting', 'Spelling', 'Lint']
    )
    assert.includeMembers(
      changed.map(({ title }) => title),
      ['Server types', 'Dependency rule', 'Unused code']
    )
  })

  test('a deleted file makes tools run that look at all files', ({ assert }) => {
    const titles = titlesOf(['cli/no_such_file.ts'])
    assert.includeMembers(titles, ['Server types', 'Unused code'])
    assert.notIncludeMembers(titles, ['Formatting', 'Lint'])
  })

  test('changed settings of a tool make it check all files', ({ assert }) => {
    const lint = checksForFiles(['.oxlintrc.json', 'cli/check.ts']).find(
      ({ title }) => title === 'Lint'
    )
    assert.notInclude(lint?.argv ?? [], 'cli/check.ts')
    assert.include(titlesOf(['tests/prose/dictionary.txt']), 'Spelling')
    assert.include(titlesOf(['.shellcheckrc']), 'Shell scripts')
  })
})

test.group('changed files', (group) => {
  let folder: string
  const git = (...args: string[]) =>
    runOrThrow(['git', '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
    })

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-changed-'))
    return () => rm(folder, { recursive: true })
  })

  test('changed files are those of the branch and of the working tree, including new files', async ({
    assert,
  }) => {
    await git('init', '--quiet', '--initial-branch=main')
    for (const name of ['same', 'committed', 'edited', 'deleted']) {
      await writeFile(join(folder, name), 'before')
    }
    await git('add', '.')
    await git('commit', '--quiet', '--message=First')
    await git('checkout', '--quiet', '-b', 'topic')
    await writeFile(join(folder, 'committed'), 'after')
    await git('commit', '--quiet', '--all', '--message=Second')
    await writeFile(join(folder, 'edited'), 'after')
    await writeFile(join(folder, 'name with spaces'), 'new')
    await rm(join(folder, 'deleted'))
    assert.deepEqual(await listChangedFiles(folder), [
      'committed',
      'deleted',
      'edited',
      'name with spaces',
    ])
  })

  test('outside a Git checkout, an error says so', async ({ assert }) => {
    await assert.rejects(() => listChangedFiles(folder), /only in a git checkout/)
  })
})
