import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { allParts } from '../test.js'

test.group('test', () => {
  test('each suite is in one of the parts', ({ assert }) => {
    const suites = app.rcFile.tests.suites.map(({ name }) => name)
    assert.sameMembers(
      allParts.flatMap(({ japa = [], late = [] }) => [japa, late].flat()),
      suites
    )
  })
})
