import { test } from '@japa/runner'
import { text } from 'node:stream/consumers'
import { LocalMachine } from '../local/machine.js'

test.group('Commands on this machine', (group) => {
  const machine = new LocalMachine()
  group.teardown(() => machine.close())

  test('a command’s output can be read long after the command has ended', async ({ assert }) => {
    const process = await machine.spawn(['sh', '-c', 'echo written; echo wrong >&2'])
    process.stdin.end()
    assert.deepEqual(await process.exit, { code: 0, signal: null })
    assert.equal(await text(process.stdout), 'written\n')
    assert.equal(await text(process.stderr), 'wrong\n')
  })
})
