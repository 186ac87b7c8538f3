import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findFreePort } from '#tests/support/find_free_port'
import { buildFolder } from '../../cli/build.js'

async function startWithout(role: string, secret: string) {
  const port = String(await findFreePort())
  const told = {
    ...process.env,
    PORT: port,
    GATEWAY_PORT: port,
    VAULT_PORT: port,
    MAIL_PORT: port,
    MAIL_SMTP_PORT: port,
    VAULT_KEY: 'k'.repeat(32),
    VAULT_CONTROL_KEY: 'k'.repeat(32),
    VAULT_FOLDER: '/nowhere',
    MAIL_KEY: 'k'.repeat(32),
    MAIL_CONTROL_KEY: 'k'.repeat(32),
    MAIL_FOLDER: '/nowhere',
    VAULT_DATABASE_URL: process.env.DATABASE_URL,
    MAIL_DATABASE_URL: process.env.DATABASE_URL,
  }
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), role], {
    cwd: buildFolder,
    env: { ...told, [secret]: '', BERTH_ROLE: role },
    stdio: ['ignore', 'pipe', 'pipe'],
    // After this time, kills a role that started in spite of the missing secret.
    timeout: 300_000,
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (words += chunk.toString()))
  }
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, words }
}

test.group('Missing secret', () => {
  test('prevents the start: {0} without {1}')
    .with([
      ['web', 'APP_KEY'],
      ['web', 'DATABASE_URL'],
      ['worker', 'APP_KEY'],
      ['gateway', 'APP_KEY'],
      ['vault', 'VAULT_KEY'],
      ['vault', 'VAULT_CONTROL_KEY'],
      ['mail', 'MAIL_KEY'],
      ['mail', 'MAIL_CONTROL_KEY'],
    ] as const)
    .run(async ({ assert }, [role, secret]) => {
      const { code, words } = await startWithout(role, secret)
      assert.equal(code, 1, words)
      assert.include(words, secret)
    })
})
