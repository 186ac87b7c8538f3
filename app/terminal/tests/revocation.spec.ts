import type { HostInstance } from '#hosts/public'
import { publish } from '#core/live/live_events'
import { setPassword } from '#identity/actions/passwords'
import { changeEmail } from '#identity/actions/profile'
import { setStaffDisabled } from '#identity/actions/staff'
import Member from '#accounts/models/member'
import { accessTopic, actorOf, Person } from '#identity/public'
import type { Gateway } from '#packages/terminal-gateway/main'
import type { TestClient } from '#packages/terminal-gateway/tests/client'
import { createGrant } from '#terminal/actions/grants'
import { SIGNED_OUT_MESSAGE } from '#terminal/errors'
import { createTerminalGateway } from '#terminal/gateway'
import { eventually } from '#tests/support/eventually'
import { freshEmail, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import * as support from '#terminal/tests/support'
import type { Browser } from '#terminal/tests/support'

const ip = '127.0.0.1'

async function post({ cookie }: Browser, path: string, body: object = {}): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${process.env.PORT}${path}`, {
    method: 'POST',
    headers: { cookie, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

test.group('Closing open terminals', (group) => {
  let gateway: Gateway
  let port: number
  let host: HostInstance
  let sshd: Awaited<ReturnType<typeof support.startPlainSshd>>
  const clients: TestClient[] = []

  group.setup(async () => {
    // Disables the periodic check, so that only events close terminals.
    gateway = createTerminalGateway({ recheckEvery: 2 ** 30 })
    port = await support.serve(gateway)
    host = await support.newHost()
    sshd = await support.startPlainSshd()
    return async () => {
      for (const { socket } of clients) socket.terminate()
      await gateway.close()
      await sshd.stop()
    }
  })

  const administrator = async () =>
    support.signIn(await support.newPerson('staff', 'administrator'))

  type Machine = { machineType: 'server_instance' | 'host_instance'; machineId: number }

  async function open(browser: Browser, machine?: Machine) {
    const client = await support.openTerminalSocket(port, browser)
    clients.push(client)
    const grant = await createGrant(
      { personId: browser.person.id, sessionId: browser.sessionId },
      {
        ...(machine ?? { machineType: 'host_instance', machineId: host.id }),
        folder: null,
        ip: null,
      }
    )
    client.signIn(grant)
    await eventually(() => {
      if (!client.ready) throw new Error(`not ready: ${client.closedReason}`)
    })
    return client
  }

  /** Counts a person's terminals that were closed because of a sign-out. */
  async function endedBy({ person }: Browser): Promise<number> {
    const rows = await support.listMachineAuditEntries(host)
    const ended = rows.filter(
      ({ actor_id: actor, action, after }) =>
        actor === person.id && action === 'terminal.close' && after.reason === SIGNED_OUT_MESSAGE
    )
    return ended.length
  }

  async function reasonOf(client: TestClient) {
    await eventually(() => {
      if (client.closeCode === null) throw new Error('still open')
    })
    return client.closedReason
  }

  test('{what} closes the person’s terminals immediately, also disconnected ones')
    .with([
      {
        what: 'a new password',
        act: ({ person }: Browser) => setPassword(person, 'a quay at high tide', { ip }),
      },
      {
        what: 'a new email address',
        act: ({ person }: Browser) => changeEmail(person, freshEmail(), { ip }),
      },
      {
        what: 'disabling the staff member',
        act: async ({ person }: Browser) =>
          void (await setStaffDisabled(person.id, true, {
            actor: await actorOf(await makeStaff()),
            ip,
          })),
      },
      {
        what: 'a sign-out of the browser from another one',
        act: async ({ person, deviceId }: Browser) =>
          post(await support.signIn(person), '/admin/profile/devices/end', { id: deviceId }),
      },
      {
        what: 'a sign-out everywhere',
        act: async ({ person }: Browser) =>
          post(await support.signIn(person), '/admin/profile/devices/end-all'),
      },
    ])
    .run(async ({ assert }, { act }) => {
      const [browser, bystander] = [await administrator(), await administrator()]
      const [client, other] = [await open(browser), await open(bystander)]
      const left = await open(browser)
      left.socket.terminate()
      await act(browser)
      assert.equal(await reasonOf(client), SIGNED_OUT_MESSAGE)
      assert.isNull(other.closeCode)
      await eventually(async () => assert.equal(await endedBy(browser), 2))
    })

  test('signing out one browser closes its terminals, but no others of the person', async ({
    assert,
  }) => {
    const here = await administrator()
    const there = await support.signIn(here.person)
    const [client, other] = [await open(here), await open(there)]
    await post(here, '/admin/logout')
    assert.equal(await reasonOf(client), SIGNED_OUT_MESSAGE)
    assert.isNull(other.closeCode)
  })

  test('{what} closes a member’s terminals immediately')
    .with([
      {
        what: 'a new role',
        path: '/profile/members/update',
        role: { role: 'billing' },
        reason: /^Your role in this account is Billing/,
      },
      {
        what: 'the removal from the account',
        path: '/profile/members/remove',
        role: {},
        reason: /not exist/,
      },
    ])
    .run(async ({ assert }, { path, role, reason }) => {
      const owner = await support.signIn(await support.newPerson('customer'))
      const member = await support.signIn(await support.newPerson('customer'))
      const { id } = await support.newInstance(owner.person, sshd.target)
      await Member.create({
        accountId: owner.person.id,
        personId: member.person.id,
        role: 'developer',
      })
      await post(member, '/account/switch', { id: owner.person.id })
      const machine = { machineType: 'server_instance', machineId: id } as const
      const [client, other] = [await open(member, machine), await open(owner, machine)]
      await post(owner, path, { id: member.person.id, ...role })
      assert.match((await reasonOf(client))!, reason)
      assert.isNull(other.closeCode)
    })

  test('an event about the machine makes the gateway check permissions immediately', async ({
    assert,
  }) => {
    const browser = await administrator()
    const client = await open(browser)
    await Person.query().where('id', browser.person.id).update({ role: 'support' })
    await publish(`host_instance:${host.id}`)
    assert.match((await reasonOf(client))!, /^Only administrators/)
    await publish(accessTopic(browser.person.id))
  })
})
