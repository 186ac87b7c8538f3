import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { halves } from '../test.js'

test.group('test', () => {
  test('each suite is in one of the halves', ({ assert }) => {
    const suites = app.rcFile.tests.suites.map(({ name }) => name)
    assert.sameMembers(
      halves.flatMap(({ early = [], japa = [] }) => [...early, ...japa]),
      suites
    )
  })
})
