import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { makeInstanceAt } from '#guest/tests/instances'
import type { Audience, StaffRole } from '#core/contracts/actor'
import { Person } from '#identity/public'
import type { SshTarget } from '#packages/machine/main'
import { startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import { TestClient } from '#packages/terminal-gateway/tests/client'
import { appUrl } from '#config/app'
import encryption from '@adonisjs/core/services/encryption'
import { MessageBuilder } from '@adonisjs/core/helpers'
import { CookieClient } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Gateway } from '#packages/terminal-gateway/main'
import WebSocket from 'ws'

/**
 * Starts an SSH server whose user has an empty home, so that login shells do not read the profile
 * of the local user.
 */
export async function startPlainSshd(): Promise<TestSshd> {
  const home = await mkdtemp(join(tmpdir(), 'berth-home-'))
  const sshd = await startSshd([`SetEnv HOME=${home}`])
  const stop = async () => {
    await sshd.stop()
    await rm(home, { recursive: true, force: true })
  }
  return { ...sshd, stop }
}

export interface Browser {
  person: Person
  sessionId: string
  deviceId: string
  cookie: string
}

export async function newPerson(
  audience: Audience,
  role: StaffRole | null = null
): Promise<Person> {
  const email = `${randomUUID()}@terminal.test`
  return Person.create({ audience, role, name: 'Terminal Tester', email })
}

/** Signs a person in by writing a session row, in the format of the session store. */
export async function signIn(person: Person): Promise<Browser> {
  const sessionId = randomUUID()
  const deviceId = randomUUID()
  await db.table('devices').insert({ id: deviceId, person_id: person.id, ip: '127.0.0.1' })
  const values = { [`auth_${person.audience}`]: person.id, device: deviceId }
  await db.table('sessions').insert({
    id: sessionId,
    data: new MessageBuilder().build(values, undefined, sessionId),
    expires_at: new Date(Date.now() + 3_600_000),
  })
  const name = person.audience === 'staff' ? 'berth-staff' : 'berth-customer'
  const signed = new CookieClient(encryption.use()).sign(name, sessionId)
  return { person, sessionId, deviceId, cookie: `${name}=${signed}` }
}

/** Creates an instance row. By default, its address cannot be reached. */
export function newInstance(
  customer: Person,
  ssh: Partial<SshTarget> = {}
): Promise<ServerInstance> {
  const nowhere = { host: '192.0.2.1', port: 20_022, username: 'berth' }
  return makeInstanceAt(customer, { ...nowhere, privateKey: 'none', hostKey: 'none', ...ssh })
}

/** Creates a host row. Without `ssh`, the host is the machine that runs the tests. */
export async function newHost(ssh?: SshTarget): Promise<HostInstance> {
  return HostInstance.create({
    name: `host-${randomUUID().slice(0, 8)}`,
    ip: ssh?.host ?? '127.0.0.1',
    status: 'active',
    provider: 'test',
    isLocal: !ssh,
    username: ssh?.username ?? null,
    sshPort: ssh?.port ?? 22,
    sshKey: ssh?.privateKey ?? null,
    hostKey: ssh?.hostKey ?? null,
    specifications: {},
  })
}

export function listMachineAuditEntries(machine: ServerInstance | HostInstance) {
  const type = machine instanceof HostInstance ? 'host_instance' : 'server_instance'
  return db
    .from('audit_entries')
    .where({ subject_type: type, subject_id: String(machine.id) })
    .orderBy('id')
}

/** Serves the gateway on 127.0.0.1 until it is closed. Returns the port, by default a free one. */
export async function serve(gateway: Gateway, port = 0): Promise<number> {
  const server = createServer()
  gateway.attach(server)
  const close = gateway.close.bind(gateway)
  gateway.close = async () => {
    server.close()
    await close()
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function open(port: number, browser: Browser | null, headers: Record<string, string>) {
  const path = browser?.person.audience === 'staff' ? '/admin/terminal' : '/terminal'
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    headers: {
      origin: new URL(appUrl).origin,
      ...(browser && { cookie: browser.cookie }),
      ...headers,
    },
  })
}

/** Opens a terminal's WebSocket as a browser does, but sends no message yet. */
export async function openTerminalSocket(
  port: number,
  browser: Browser | null,
  headers: Record<string, string> = {}
): Promise<TestClient> {
  const client = new TestClient(open(port, browser, headers))
  await once(client.socket, 'open')
  return client
}

export async function rejectedStatus(
  port: number,
  browser: Browser | null,
  headers: Record<string, string> = {}
): Promise<number> {
  const socket = open(port, browser, headers)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  socket.terminate()
  return response.statusCode
}
