import { Person, type Actor } from '#identity/public'
import { createGrant } from '#terminal/actions/grants'
import { GRANT_REJECTED_MESSAGE, SIGNED_OUT_MESSAGE } from '#terminal/errors'
import { createTerminalGateway } from '#terminal/gateway'
import type { ServerInstance } from '#instances/public'
import type { HostInstance } from '#hosts/public'
import { generateKeyPair } from '#packages/machine/main'
import { waitUntil, isRunning, type TestSshd } from '#packages/machine/tests/sshd'
import type { Gateway } from '#packages/terminal-gateway/main'
import {
  CLOSE_CODE_GATEWAY_STOPPING,
  CLOSE_CODE_MACHINE_LOST,
  CLOSE_CODE_NOTHING_TO_RESUME,
  CLOSE_CODE_REJECTED,
} from '#packages/terminal-gateway/protocol'
import type { TestClient } from '#packages/terminal-gateway/tests/client'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import * as support from '#terminal/tests/support'
import type { Browser } from '#terminal/tests/support'

test.group('Terminal gateway with database and SSH server', (group) => {
  let sshd: TestSshd
  let gateway: Gateway
  let port: number
  let customer: Browser
  let instance: ServerInstance
  let clients: TestClient[]

  group.each.setup(async () => {
    sshd = await support.startPlainSshd()
    gateway = createTerminalGateway({ recheckEvery: 100 })
    port = await support.serve(gateway)
    customer = await support.signIn(await support.newPerson('customer'))
    instance = await support.newInstance(customer.person, sshd.target)
    clients = []
    return async () => {
      for (const { socket } of clients) socket.terminate()
      await gateway.close()
      await sshd.stop()
    }
  })

  function grantFor(browser: Browser, machine: ServerInstance | HostInstance) {
    const isInstance = 'accountId' in machine
    return createGrant(
      { personId: browser.person.id, sessionId: browser.sessionId },
      {
        machineType: isInstance ? 'server_instance' : 'host_instance',
        machineId: machine.id,
        folder: isInstance ? '/var/www/public_html' : null,
        ip: '192.0.2.9',
      }
    )
  }

  async function connect(browser = customer) {
    const client = await support.openTerminalSocket(port, browser)
    clients.push(client)
    return client
  }

  async function open(browser = customer, machine: ServerInstance | HostInstance = instance) {
    const client = await connect(browser)
    client.signIn(await grantFor(browser, machine))
    await waitUntil('the shell is ready', () => client.ready || client.closeCode !== null)
    return client
  }

  async function closed(client: TestClient) {
    await waitUntil('it is closed', () => client.closeCode !== null)
    return { code: client.closeCode, reason: client.closedReason }
  }

  const audited = async (machine: ServerInstance | HostInstance = instance) => {
    const rows = await support.listMachineAuditEntries(machine)
    return rows.map(({ action, after }) => ({ action, ...after }))
  }

  test('rejects foreign origins and people who are signed out', async ({ assert }) => {
    const refusal = (browser: Browser | null, headers = {}) =>
      support.rejectedStatus(port, browser, headers)
    for (const origin of ['https://evil.example', 'null', '']) {
      assert.equal(await refusal(customer, { origin }), 403)
    }
    assert.equal(await refusal(null), 401)
    assert.equal(await refusal(null, { cookie: `berth-customer=${customer.sessionId}` }), 401)
    const forged = customer.cookie.slice(0, -3)
    assert.equal(await refusal(null, { cookie: forged }), 401)
    const renamed = customer.cookie.replace('berth-customer', 'berth-staff')
    assert.equal(await refusal(null, { cookie: renamed }), 401)

    const expired = await support.signIn(customer.person)
    await db
      .from('sessions')
      .where('id', expired.sessionId)
      .update({ expires_at: new Date(Date.now() - 1_000) })
    assert.equal(await refusal(expired), 401)
    const revoked = await support.signIn(customer.person)
    await db.from('devices').where('id', revoked.deviceId).delete()
    assert.equal(await refusal(revoked), 401)
    const disabled = await support.signIn(await support.newPerson('customer'))
    await Person.query().where('id', disabled.person.id).update({ disabledAt: new Date() })
    assert.equal(await refusal(disabled), 401)
    assert.equal(gateway.size, 0)
    assert.deepEqual(await audited(), [])
  })

  test('opens root’s shell in the grant’s folder, and ignores commands, host and user from the browser', async ({
    assert,
  }) => {
    const evil = `/tmp/berth-evil-${randomUUID()}`
    const client = await connect()
    client.send({
      type: 'credentials',
      instance_type: 'shared',
      host: 'evil.example',
      port: 1,
      user: 'nobody',
      commands: [`touch ${evil}`],
      privateKey: await grantFor(customer, instance),
      cols: 91,
      rows: 33,
    })
    client.type('stty size; id -un; echo $COLORTERM, $LANG.; echo "ü৳"$((40+2))\r')
    await waitUntil('the text shows', () => client.text.includes('ü৳42'))
    assert.match(client.text, /truecolor, \S*UTF-8\./)
    assert.include(client.text, '33 91')
    assert.match(client.text, /\broot\r\n/)
    assert.containsSubset(client.messages[0], { type: 'ready', label: instance.name })
    await assert.rejects(() => access(evil))

    client.send({ type: 'end' })
    await waitUntil('closing is written down', async () => (await audited()).length === 2)
    const [opening, closing] = await audited()
    assert.containsSubset(opening, { action: 'terminal.open', folder: '/var/www/public_html' })
    assert.containsSubset(closing, { action: 'terminal.close', terminal: opening.terminal })
    assert.isAbove(closing.bytes, 0)
    const [row] = await support.listMachineAuditEntries(instance)
    assert.containsSubset(row, {
      actor_id: customer.person.id,
      account_id: customer.person.id,
      subject_label: instance.name,
      ip: '192.0.2.9',
    })
  })

  test('a grant opens one terminal, and only for its own person and session', async ({
    assert,
  }) => {
    const other = await support.signIn(await support.newPerson('customer'))
    const elsewhere = await support.signIn(customer.person)
    const grant = await grantFor(customer, instance)
    for (const browser of [other, elsewhere]) {
      const client = await connect(browser)
      client.signIn(grant)
      assert.deepEqual(await closed(client), {
        code: CLOSE_CODE_REJECTED,
        reason: GRANT_REJECTED_MESSAGE,
      })
    }
    const racers = await Promise.all([connect(), connect(), connect()])
    for (const client of racers) client.signIn(grant)
    await waitUntil('all are decided', () =>
      racers.every(({ ready, closeCode }) => ready || closeCode !== null)
    )
    assert.lengthOf(
      racers.filter(({ ready }) => ready),
      1
    )
  })

  test('rejects a grant if the person has lost access to the instance meanwhile', async ({
    assert,
  }) => {
    const grant = await grantFor(customer, instance)
    await instance.merge({ accountId: (await support.newPerson('customer')).id }).save()
    const client = await connect()
    client.signIn(grant)
    assert.deepEqual(await closed(client), {
      code: CLOSE_CODE_REJECTED,
      reason: 'This server instance does not exist.',
    })
  })

  test('administrators open terminals of hosts and instances, support staff do not', async ({
    assert,
  }) => {
    const host = await support.newHost(sshd.target)
    const administrator = await support.signIn(await support.newPerson('staff', 'administrator'))
    const client = await open(administrator, host)
    client.type('echo on-$((40+2))\r')
    await waitUntil('the answer shows', () => client.text.includes('on-42'))
    assert.isTrue((await open(administrator, instance)).ready)

    const helper = await support.signIn(await support.newPerson('staff', 'support'))
    const refused = await open(helper, host)
    assert.equal((await closed(refused)).reason, 'Only administrators can open host terminals.')
    const stranger = await connect(customer)
    stranger.signIn(await grantFor(administrator, host))
    assert.equal((await closed(stranger)).reason, GRANT_REJECTED_MESSAGE)
  })

  test('opens a shell on the console’s own machine without SSH and without Berth’s environment variables', async ({
    assert,
    cleanup,
  }) => {
    const { HOME } = process.env
    process.env.HOME = sshd.folder
    cleanup(() => {
      if (HOME === undefined) delete process.env.HOME
      else process.env.HOME = HOME
    })
    const administrator = await support.signIn(await support.newPerson('staff', 'administrator'))
    const client = await open(administrator, await support.newHost())
    client.type('echo here-$((40+2)); env\r')
    await waitUntil('the answer shows', () => client.text.includes('here-42'))
    client.type('exit\r')
    await closed(client)
    assert.notInclude(client.text, process.env.APP_KEY!)
    assert.notInclude(client.text, 'DATABASE_URL')
  })

  test('a changed host key closes the terminal with a readable reason', async ({ assert }) => {
    await instance.merge({ hostKey: generateKeyPair('another').publicKey }).save()
    const client = await open()
    const { code, reason } = await closed(client)
    assert.equal(code, CLOSE_CODE_MACHINE_LOST)
    assert.match(reason!, /key/i)
    assert.notMatch(reason!, /Error|undefined|PRIVATE/)
    await waitUntil('it is written down', async () =>
      (await audited()).some(({ action }) => action === 'terminal.close')
    )
  })

  test('a lost SSH connection closes its terminals with a reason', async ({ assert }) => {
    const client = await open()
    client.type('echo "pid=$$."\r')
    await waitUntil('the shell answers', () => /pid=\d+\./.test(client.text))
    const shell = Number(/pid=(\d+)\./.exec(client.text)![1])
    await sshd.kill()
    const { code, reason } = await closed(client)
    assert.equal(code, CLOSE_CODE_MACHINE_LOST)
    assert.match(reason!, /lost/)
    await waitUntil('no shell is left', async () => !(await isRunning(shell)))
    await waitUntil('nothing is left here', () => gateway.size === 0)
  })

  test('draining closes all terminals with a reason, ends the shells and rejects new ones with 503', async ({
    assert,
  }) => {
    const client = await open()
    client.type('echo "pid=$$."\r')
    await waitUntil('the shell answers', () => /pid=\d+\./.test(client.text))
    const shell = Number(/pid=(\d+)\./.exec(client.text)![1])
    await gateway.drain('Restarting.')
    assert.deepEqual(await closed(client), {
      code: CLOSE_CODE_GATEWAY_STOPPING,
      reason: 'Restarting.',
    })
    assert.equal(await support.rejectedStatus(port, customer), 503)
    await waitUntil('no shell is left', async () => !(await isRunning(shell)))
    assert.equal((await audited()).at(-1)?.reason, 'Restarting.')
  })

  test('a reload resumes the terminal of the same sign-in only, and the audit log has one entry', async ({
    assert,
  }) => {
    const client = await open()
    client.type('echo "pid=$$."\r')
    await waitUntil('the shell answers', () => /pid=\d+\./.test(client.text))
    const [shown, shell] = /pid=(\d+)\./.exec(client.text)!
    client.socket.terminate()
    const elsewhere = await support.signIn(customer.person)
    const stranger = await support.signIn(await support.newPerson('customer'))
    for (const browser of [elsewhere, stranger]) {
      const other = await connect(browser)
      other.resume(client.token)
      assert.equal((await closed(other)).code, CLOSE_CODE_NOTHING_TO_RESUME)
    }
    const again = await connect()
    again.resume(client.token)
    await waitUntil('its screen is there', () => again.text.includes(shown))
    again.type('echo "same=$$."\r')
    await waitUntil('it is the same shell', () => again.text.includes(`same=${shell}.`))
    again.send({ type: 'end' })
    await waitUntil('no shell is left', async () => !(await isRunning(Number(shell))))
    await waitUntil('closing is written down', async () => (await audited()).length === 2)
    assert.equal((await audited())[1].reason, 'The person closed the terminal')
  })

  test('a person who lost access to the instance cannot resume its terminal', async ({
    assert,
  }) => {
    await gateway.close()
    // Disables the periodic check, so that only the reconnection can detect the lost access.
    gateway = createTerminalGateway({ recheckEvery: 2 ** 30 })
    port = await support.serve(gateway)
    const client = await open()
    client.socket.terminate()
    await instance.merge({ status: 'suspended' }).save()
    const again = await connect()
    again.resume(client.token)
    assert.equal((await closed(again)).code, CLOSE_CODE_NOTHING_TO_RESUME)
    assert.equal(again.bytes, 0)
    await waitUntil('nothing is left here', () => gateway.size === 0)
    assert.equal((await audited()).at(-1)?.reason, 'The instance is suspended.')
  })

  test('a sign-out, a lost role or a suspended instance closes open terminals', async ({
    assert,
  }) => {
    const signedOut = await open()
    await db.from('devices').where('id', customer.deviceId).delete()
    assert.deepEqual(await closed(signedOut), {
      code: CLOSE_CODE_REJECTED,
      reason: SIGNED_OUT_MESSAGE,
    })

    const again = await support.signIn(customer.person)
    const suspended = await open(again)
    await instance.merge({ status: 'suspended' }).save()
    assert.equal((await closed(suspended)).reason, 'The instance is suspended.')

    const administrator = await support.signIn(await support.newPerson('staff', 'administrator'))
    const demoted = await open(administrator, await support.newHost())
    const role: Actor['role'] = 'support'
    await Person.query().where('id', administrator.person.id).update({ role })
    assert.match((await closed(demoted)).reason!, /^Only administrators/)
  })
})
