import { test } from '@japa/runner'
import { Worker } from 'node:worker_threads'
import { ChangeCounters } from '../store/change_counters.js'

test.group('Change counters', () => {
  test('a change invalidates only its name or vault', ({ assert }) => {
    const generations = new ChangeCounters()
    const before = [generations.of(1, 'a'), generations.of(1, 'b'), generations.ofVault(1)]
    generations.bump(1, 'a')
    assert.notEqual(generations.of(1, 'a'), before[0])
    assert.deepEqual([generations.of(1, 'b'), generations.ofVault(1)], before.slice(1))
    generations.bumpVault(1)
    assert.notEqual(generations.ofVault(1), before[2])
    assert.equal(generations.ofVault(2), 0)
  })

  test('changes by one thread are visible to other threads', async ({ assert }) => {
    const generations = new ChangeCounters()
    const worker = new Worker(
      `const { workerData } = require('node:worker_threads')
       const slots = new Int32Array(workerData)
       for (let at = 0; at < slots.length; at++) Atomics.add(slots, at, 7)`,
      { eval: true, workerData: generations.shared }
    )
    await new Promise((resolve) => worker.once('exit', resolve))
    assert.equal(generations.of(3, 'x/y'), 7)
    assert.equal(generations.ofVault(3), 7)
  })

  test('names are distributed evenly over the slots', ({ assert }) => {
    const generations = new ChangeCounters()
    for (let at = 0; at < 5000; at++) generations.bump(9, `folder/image-${at}.jpg`)
    let free = 0
    for (let at = 0; at < 5000; at++) if (!generations.of(9, `other/photo-${at}.png`)) free++
    assert.isAbove(free, 4400)
  })
})
