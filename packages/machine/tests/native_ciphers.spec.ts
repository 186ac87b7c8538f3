import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from '@japa/runner'
import { startSshd } from './sshd.js'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '..')

/** Runs a program in a separate process. Rejects if it crashes. */
function alone(program: string, argument: string, env: NodeJS.ProcessEnv = {}) {
  const argv = ['--expose-gc', '--import', '@poppinss/ts-exec', join(folder, program), argument]
  return run(process.execPath, argv, { env: { ...process.env, ...env }, timeout: 300_000 })
}

test.group('Native ciphers of closed SSH connections', () => {
  test('100,000 ciphers can be garbage-collected without crashing the process', async ({
    assert,
  }) => {
    await assert.doesNotReject(() => alone('ssh/cipher_probe.ts', '100000'))
  }).timeout(310_000)

  test('one process can open and close 50 connections', async ({ assert, cleanup }) => {
    const sshd = await startSshd()
    cleanup(() => sshd.stop())
    const { stdout } = await alone('tests/many_connections.ts', '50', {
      SSH_TARGET: JSON.stringify(sshd.target),
    })
    assert.equal(stdout, '50\n')
  }).timeout(310_000)
})
