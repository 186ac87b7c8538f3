import { forEachLimit } from '#core/for_each_limit'
import { test } from '@japa/runner'

test.group('forEachLimit', () => {
  test('all items are processed, and never more than `places` at the same time', async ({
    assert,
  }) => {
    let now = 0
    let most = 0
    const done: number[] = []
    const numbers = Array.from({ length: 50 }, (_, number) => number)
    await forEachLimit(numbers, { places: 4, timeoutMs: 60_000 }, async (number) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now--
      done.push(number)
    })
    assert.equal(most, 4)
    assert.sameMembers(done, numbers)
  })

  test('a slow item does not delay others, and the call waits for it at the end', async ({
    assert,
  }) => {
    const late = Promise.withResolvers<void>()
    const done: string[] = []
    await forEachLimit(['late', 'next', 'last'], { places: 1, timeoutMs: 20 }, async (name) => {
      if (name === 'late') await late.promise
      if (name === 'last') late.resolve()
      done.push(name)
    })
    assert.deepEqual(done, ['next', 'last', 'late'])
  })

  test('an error is thrown after the other items are done', async ({ assert }) => {
    const done: string[] = []
    const work = async (name: string) => {
      if (name === 'broken') throw new Error('It broke')
      done.push(name)
    }
    await assert.rejects(
      () => forEachLimit(['broken', 'whole'], { places: 1, timeoutMs: 60_000 }, work),
      'It broke'
    )
    assert.deepEqual(done, ['whole'])
  })
})
