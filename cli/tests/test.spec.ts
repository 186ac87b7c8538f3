import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { glob } from 'node:fs/promises'
import { installRoot } from '../paths.js'
import { findFastTests, formatExcludedTests, testsExcludedFromFastRun } from '../fast_tests.js'
import { moveFastTests, testParts } from '../test_parts.js'

test.group('`berth test`', () => {
  test('each test suite belongs to one part of the test run', ({ assert }) => {
    const suites = app.rcFile.tests.suites.map(({ name }) => name)
    assert.sameMembers(
      testParts.flatMap(({ early = [], japa = [], late = [] }) => [early, japa, late].flat()),
      suites
    )
  })

  test('each test file belongs to exactly one suite', async ({ assert }) => {
    const filesOf = (patterns: string[]) => Array.fromAsync(glob(patterns, { cwd: installRoot }))
    const folders = ['app', 'cli', 'packages', 'tests']
    const all = await filesOf(folders.map((folder) => `${folder}/**/*.spec.ts`))
    const suites = app.rcFile.tests.suites.map(({ files }) => filesOf([files].flat() as string[]))
    const examples = 'tests/support/new_module'
    assert.deepEqual(
      (await Promise.all(suites)).flat().sort(),
      all.filter((file) => !file.startsWith(examples)).sort()
    )
  })

  test('tests that need no Incus run while Incus starts, each of them once', async ({ assert }) => {
    const [app, cli] = await Promise.all(
      ['test', 'test-packages'].map((name) =>
        moveFastTests(testParts.find(({ home }) => home === name)!)
      )
    )
    assert.include(app.early, 'app/core/tests/money.spec.ts')
    assert.notInclude(app.japa, 'app/core/tests/money.spec.ts')
    assert.includeMembers(app.japa!, [
      'app/files/tests/unzip.spec.ts',
      'tests/browser/files.spec.ts',
    ])
    assert.include(cli.early, 'cli/tests/test.spec.ts')
    assert.deepEqual(cli.japa, ['packages'])
    assert.notInclude(cli.late, 'cli/tests/test.spec.ts')
    const all = await Array.fromAsync(
      glob(['app/!(databases)/**/*.spec.ts', 'tests/browser/**/*.spec.ts'], { cwd: installRoot })
    )
    assert.deepEqual([...app.early!, ...app.japa!].sort(), all.sort())
  })

  test('--fast runs each test file or prints the reason for leaving the file out', async ({
    assert,
  }) => {
    const { japa, leftOut } = await findFastTests()
    const all = await Array.fromAsync(
      glob('{app,cli,packages,tests/!(support)}/**/*.spec.ts', { cwd: installRoot })
    )
    const count = leftOut.reduce((sum, each) => sum + each.count, 0)
    assert.equal(japa.length + count, all.length)
    assert.isAbove(japa.length, 60)
    assert.include(japa, 'cli/tests/test.spec.ts')
    const [title, first] = formatExcludedTests(leftOut)
    assert.equal(title, 'Not run by --fast:')
    assert.match(first, /^ {2}\d+ files: they need root, Incus or Chromium$/)
  })

  test('each pattern of files that --fast leaves out matches at least one file', async ({
    assert,
  }) => {
    for (const pattern of testsExcludedFromFastRun.flatMap(({ patterns }) => patterns)) {
      assert.isNotEmpty(await Array.fromAsync(glob(pattern, { cwd: installRoot })), pattern)
    }
  })
})
