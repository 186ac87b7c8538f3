import { test } from '@japa/runner'
import { openLocalShell } from '../main.js'
import type { Shell } from '../types.js'
import { waitUntil, isRunning } from './sshd.js'

test.group('Shell on this machine', (group) => {
  const shells: Shell[] = []
  group.each.teardown(() => {
    for (const shell of shells.splice(0)) shell.close()
  })

  async function open() {
    const shell = await openLocalShell({ cols: 91, rows: 33, argv: ['sh'], env: { PS1: '# ' } })
    shells.push(shell)
    const seen = { text: '' }
    shell.on('data', (chunk) => (seen.text += chunk.toString()))
    await waitUntil('the prompt shows', () => seen.text.includes('# '))
    return { shell, seen }
  }

  test('a shell has a terminal of the requested size, can be resized, and returns its exit code', async ({
    assert,
  }) => {
    const { shell, seen } = await open()
    await shell.write('stty size; echo "ü৳"$((40+2))\r')
    await waitUntil('the answer shows', () => seen.text.includes('ü৳42'))
    assert.include(seen.text, '33 91')
    shell.resize(120, 40)
    await waitUntil('the new size shows', async () => {
      await shell.write('stty size\r')
      return seen.text.includes('40 120')
    })
    await shell.write('exit 7\r')
    assert.deepEqual(await shell.exit, { code: 7, signal: null })
  })

  test('a shell gets none of this process’s environment variables', async ({ assert }) => {
    process.env.BERTH_TEST_SECRET = 'very-secret'
    const { shell, seen } = await open()
    delete process.env.BERTH_TEST_SECRET
    await shell.write('env; echo end-of-$((1+1))\r')
    await waitUntil('all is shown', () => seen.text.includes('end-of-2'))
    assert.notInclude(seen.text, 'very-secret')
  })

  test('closing a shell ends its programs', async ({ assert }) => {
    const { shell, seen } = await open()
    await shell.write(`sh -c 'echo "pid=$$."; exec sleep 1000'\r`)
    await waitUntil('it runs', () => /pid=\d+\./.test(seen.text))
    const pid = Number(/pid=(\d+)\./.exec(seen.text)![1])
    assert.isTrue(await isRunning(pid))
    shell.close()
    await waitUntil('it has ended', async () => !(await isRunning(pid)))
    assert.deepEqual(await shell.exit, { code: null, signal: null })
  })

  test('a paused shell’s program blocks instead of filling memory', async ({ assert }) => {
    const { shell, seen } = await open()
    let bytes = 0
    shell.on('data', (chunk) => (bytes += chunk.length))
    await shell.write('yes\r')
    await waitUntil('it floods', () => bytes > 100_000)
    shell.pause()
    await new Promise((resolve) => setImmediate(resolve))
    const held = bytes
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.equal(bytes, held)
    seen.text = ''
    shell.resume()
    await waitUntil('it goes on', () => bytes > held)
    await shell.write('\x03')
    await waitUntil('it can be interrupted', () => seen.text.trimEnd().endsWith('#'))
  })
})
