import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { glob } from 'node:fs/promises'
import { installRoot } from '../paths.js'
import { testParts } from '../test.js'

test.group('test', () => {
  test('each suite is in one of the parts', ({ assert }) => {
    const suites = app.rcFile.tests.suites.map(({ name }) => name)
    assert.sameMembers(
      testParts.flatMap(({ japa = [], late = [] }) => [japa, late].flat()),
      suites
    )
  })

  test('each file of tests is in one of the suites, and in no second one', async ({ assert }) => {
    const filesOf = (patterns: string[]) => Array.fromAsync(glob(patterns, { cwd: installRoot }))
    const folders = ['app', 'cli', 'packages', 'tests']
    const all = await filesOf(folders.map((folder) => `${folder}/**/*.spec.ts`))
    const suites = app.rcFile.tests.suites.map(({ files }) => filesOf([files].flat() as string[]))
    const pattern = 'tests/support/new_module/'
    assert.deepEqual(
      (await Promise.all(suites)).flat().sort(),
      all.filter((file) => !file.startsWith(pattern)).sort()
    )
  })
})
