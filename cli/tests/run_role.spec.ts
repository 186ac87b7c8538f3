import { GRANT_REJECTED_MESSAGE } from '#terminal/errors'
import * as support from '#terminal/tests/support'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { buildFolder } from '../build.js'
import { findFreePorts } from '../roles.js'
import { runOrThrow, runProgram } from '../run_program.js'

/**
 * An additional machine has no complete installation. It runs only some roles, with secrets that were copied from the
 * first machine.
 */
test.group('Run a role on an additional machine', (group) => {
  let home: string
  const ends: (() => Promise<unknown>)[] = []
  group.each.timeout(600_000)

  group.each.setup(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-further-'))
    await chmod(folder, 0o755)
    home = join(folder, 'home')
    return async () => {
      for (const end of ends.splice(0).reverse()) await end()
      await rm(folder, { recursive: true, force: true })
    }
  })

  const argv = (role: string) => [join(buildFolder, 'cli/main.js'), 'run', role]

  /** Runs `berth run ROLE` with only these environment variables and secrets. */
  async function become(role: string, given: NodeJS.ProcessEnv, secrets: Record<string, string>) {
    await runOrThrow(['mkdir', '-p', home])
    await writeFile(join(home, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 })
    const child = spawn(process.execPath, argv(role), {
      cwd: buildFolder,
      env: { PATH: process.env.PATH, HOME: home, BERTH_HOME: home, HOST: '127.0.0.1', ...given },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const gone = once(child, 'exit')
    ends.push(async () => {
      child.kill('SIGKILL')
      await gone
    })
    const answers = (port: number) =>
      eventually(async () => {
        const { status } = await fetch(`http://127.0.0.1:${port}/health`)
        return status === 200 || Promise.reject(new Error(`health says ${status}`))
      })
    const environ = async () => (await readFile(`/proc/${child.pid}/environ`, 'utf8')).split('\0')
    const user = async () => {
      const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))![1]
      return (await runOrThrow(['id', '-un', uid])).trim()
    }
    const stop = async () => {
      child.kill('SIGTERM')
      return gone
    }
    return { answers, environ, user, stop }
  }

  const whoRuns = (role: string) =>
    process.getuid!() === 0 ? `berth-${role}` : userInfo().username

  test('a gateway with its own system user accepts sessions of the console and rejects all others', async ({
    assert,
  }) => {
    const { gateway: port } = await findFreePorts()
    const { DATABASE_URL, APP_KEY, APP_URL } = process.env
    const { answers, environ, user, stop } = await become(
      'gateway',
      { DATABASE_URL, APP_URL, GATEWAY_PORT: String(port) },
      { appKey: APP_KEY! }
    )
    await answers(port)
    const browser = await support.signIn(await support.newPerson('customer'))
    const client = await support.openTerminalSocket(port, browser)
    client.signIn('no grant of anybody')
    await eventually(() => assert.equal(client.closedReason, GRANT_REJECTED_MESSAGE))
    assert.equal(await user(), whoRuns('gateway'))
    assert.notMatch((await environ()).join('\n'), /^(MAIL|VAULT)_KEY=/m)
    const [code, signal] = await stop()
    assert.isTrue(code === 0 || signal === 'SIGTERM', `${code} ${signal}`)

    // The database contains a hash of the first machine's key, so a machine with another key is rejected.
    await rm(join(home, 'secrets.json'))
    const stranger = { PATH: process.env.PATH, BERTH_HOME: home, DATABASE_URL }
    const refused = await runProgram([process.execPath, ...argv('gateway')], { env: stranger })
    assert.equal(refused.code, 1)
    assert.match(refused.output, /belongs to another installation\. Nothing was started/)
  })

  test('the mail role runs with only its own database and keys', async ({ assert }) => {
    const { mail, mail_smtp, mail_inbound } = await findFreePorts()
    const { MAIL_DATABASE_URL, MAIL_KEY, MAIL_CONTROL_KEY } = process.env
    const { answers, environ, user } = await become(
      'mail',
      {
        MAIL_DATABASE_URL,
        MAIL_PORT: String(mail),
        MAIL_SMTP_PORT: String(mail_smtp),
        MAIL_INBOUND_PORT: String(mail_inbound),
      },
      { mailKey: MAIL_KEY!, mailControlKey: MAIL_CONTROL_KEY! }
    )
    await answers(mail)
    assert.equal(await user(), whoRuns('mail'))
    const told = (await environ()).map((line) => line.split('=')[0])
    assert.includeMembers(told, ['MAIL_DATABASE_URL', 'MAIL_KEY'])
    assert.notIncludeMembers(told, ['DATABASE_URL', 'APP_KEY', 'VAULT_KEY'])
  })

  test('a role that cannot run causes an error without a stack trace', async ({ assert }) => {
    const env = { PATH: process.env.PATH, BERTH_HOME: home }
    const unknown = await runProgram([process.execPath, ...argv('postman')], { env })
    assert.match(unknown.output, /There is no role "postman"\. Roles: web, gateway, .*host/)
    const alone = await runProgram([process.execPath, ...argv('mail')], { env })
    assert.match(alone.output, /mail needs a database: set MAIL_DATABASE_URL/)
    assert.deepEqual([unknown.code, alone.code], [1, 1])
    assert.notMatch(unknown.output + alone.output, /\n\s+at /)
  })
})
