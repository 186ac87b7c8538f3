import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { allParts, sharedSuites } from '../test.js'

test.group('test', () => {
  test('each suite is in one of the parts', ({ assert }) => {
    const suites = app.rcFile.tests.suites.map(({ name }) => name)
    const first = allParts.flatMap(({ early = [], japa = [] }) => [...early, ...japa])
    assert.sameMembers([...first, ...sharedSuites], suites)
  })
})
