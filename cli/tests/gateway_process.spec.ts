import { GRANT_REJECTED_MESSAGE } from '#terminal/errors'
import * as support from '#terminal/tests/support'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buildFolder } from '../build.js'
import { selectProcessEnv, findFreePorts } from '../roles.js'

test('a gateway in a separate process accepts the session of a signed-in person and rejects an invalid grant', async ({
  assert,
  cleanup,
}) => {
  const { gateway: port } = await findFreePorts()
  const argv = [join(buildFolder, 'bin/role.js'), 'gateway']
  const child = spawn(process.execPath, argv, {
    cwd: buildFolder,
    env: { ...selectProcessEnv('gateway', process.env), GATEWAY_PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const gone = once(child, 'exit')
  cleanup(async () => {
    child.kill()
    await gone
  })
  await eventually(async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/health`)
    assert.equal(status, 200)
  })
  const browser = await support.signIn(await support.newPerson('customer'))
  const client = await support.openTerminalSocket(port, browser)
  client.signIn('no grant of anybody')
  await eventually(() => assert.equal(client.closedReason, GRANT_REJECTED_MESSAGE))
}).timeout(600_000)
