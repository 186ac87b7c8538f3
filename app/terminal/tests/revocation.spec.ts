import type { HostInstance } from '#hosts/public'
import { publish } from '#core/live/live'
import { signOutEverywhere } from '#identity/actions/devices'
import { accessTopic, Person } from '#identity/public'
import type { Gateway } from '#packages/terminal-gateway/main'
import type { TestClient } from '#packages/terminal-gateway/tests/client'
import { giveGrant } from '#terminal/actions/grants'
import { SIGNED_OUT } from '#terminal/errors'
import { createTerminalGateway } from '#terminal/gateway'
import { eventually } from '#tests/support/eventually'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import * as support from './support.js'
import type { Browser } from './support.js'

test.group('Terminals that may not stay open', (group) => {
  let gateway: Gateway
  let port: number
  let host: HostInstance
  const clients: TestClient[] = []

  group.setup(async () => {
    // Never by looking again: only events end them here.
    gateway = createTerminalGateway({ recheckEvery: 2 ** 30 })
    port = await support.serve(gateway)
    host = await support.newHost()
    return async () => {
      for (const { socket } of clients) socket.terminate()
      await gateway.close()
    }
  })

  const administrator = async () =>
    support.signIn(await support.newPerson('staff', 'administrator'))

  async function open(browser: Browser) {
    const client = await support.connect(port, browser)
    clients.push(client)
    const grant = await giveGrant(
      { personId: browser.person.id, sessionId: browser.sessionId },
      { machineType: 'host_instance', machineId: host.id, folder: null, ip: null }
    )
    client.signIn(grant)
    await eventually(() => {
      if (!client.ready) throw new Error(`not ready: ${client.closedReason}`)
    })
    return client
  }

  async function reasonOf(client: TestClient) {
    await eventually(() => {
      if (client.closeCode === null) throw new Error('still open')
    })
    return client.closedReason
  }

  test('signing everybody out, as a new password and disabling do, ends them at once', async ({
    assert,
  }) => {
    const [browser, bystander] = [await administrator(), await administrator()]
    const [client, other] = [await open(browser), await open(bystander)]
    await db.transaction((trx) => signOutEverywhere(browser.person.id, { trx }))
    assert.equal(await reasonOf(client), SIGNED_OUT)
    assert.isNull(other.closeCode)
  })

  test('signing one browser out ends its terminals and no others of the person', async ({
    assert,
  }) => {
    const here = await administrator()
    const there = await support.signIn(here.person)
    const [client, other] = [await open(here), await open(there)]
    const left = await fetch(`http://127.0.0.1:${process.env.PORT}/admin/logout`, {
      method: 'POST',
      headers: { cookie: here.cookie, accept: 'application/json' },
    })
    assert.equal(left.status, 200)
    assert.equal(await reasonOf(client), SIGNED_OUT)
    assert.isNull(other.closeCode)
  })

  test('what changes about the machine is looked at, at once', async ({ assert }) => {
    const browser = await administrator()
    const client = await open(browser)
    await Person.query().where('id', browser.person.id).update({ role: 'support' })
    await publish(`host_instance:${host.id}`)
    assert.match((await reasonOf(client))!, /^Only administrators/)
    // Whoever has none open is told nothing.
    await publish(accessTopic(browser.person.id))
  })
})
