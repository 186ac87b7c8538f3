import HostInstance from '#hosts/models/host_instance'
import ServerInstance from '#instances/models/server_instance'
import ServerPackage from '#catalog/models/server_package'
import type { Audience, StaffRole } from '#core/contracts/actor'
import Person from '#identity/models/person'
import Project from '#projects/models/project'
import { type FuzzRequest, generateFuzzRequest, seededRandom } from '#tests/support/fuzz_requests'
import { type IsolatedConsole, startIsolatedConsole } from '#tests/support/isolated_console'
import { freshEmail, freshIp, signIn, testPassword, Visitor } from '#tests/support/people'
import router from '@adonisjs/core/services/router'
import { localMachineId } from '#core/local_host'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { request } from 'node:http'

/**
 * Sends a generated request to every route as each role, and a second one while time is left. The same seed gives the
 * same requests. `FUZZ_SEED` sets another seed. With `FUZZ_SECONDS`, the run continues until this time is over.
 * `FUZZ_CALL` repeats the requests that a failure names, and shows the console's log.
 */
const seed = process.env.FUZZ_SEED ?? 'berth'
const seconds = Number(process.env.FUZZ_SECONDS ?? 60)
const only = process.env.FUZZ_CALL?.split(',').map(Number)

const MAX_MEMORY_GROWTH_BYTES = 64 * 2 ** 20
/** Number of requests before the first memory measurement, because modules are still being loaded and compiled. */
const WARM_UP_CALLS = 300

const askers = ['signed out', 'customer', 'support', 'administrator'] as const
type Asker = (typeof askers)[number]

function routes(): string[] {
  return Object.values(router.toJSON())
    .flat()
    .flatMap(({ methods, pattern }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${pattern}`)
    )
    .sort()
}

/** Creates a customer with a project on an instance whose host is unreachable. */
async function someCustomer(): Promise<Person> {
  const customer = await makePerson('customer', null)
  const client = { connection: 'fuzz' }
  const offered = await ServerPackage.query(client).where('instanceType', 'shared').firstOrFail()
  const host = await HostInstance.create(
    {
      name: `host-${customer.id}`,
      ip: '127.0.0.1',
      status: 'active',
      provider: 'test',
      isLocal: false,
      incusUrl: 'unix:/nowhere/incus',
      sshPort: 22,
      specifications: {},
    },
    client
  )
  const instance = await ServerInstance.create(
    {
      accountId: customer.id,
      serverPackageId: offered.id,
      hostInstanceId: host.id,
      name: `web-${customer.id}`,
      instanceType: 'shared',
      status: 'active',
      ports: {},
      billingPeriod: 'month',
      ip: '192.0.2.7',
      boostMode: false,
    },
    client
  )
  await Project.create(
    {
      accountId: customer.id,
      serverInstanceId: instance.id,
      name: 'Shop',
      path: 'shop',
      stack: 'static',
      status: 'active',
    },
    client
  )
  await db
    .connection('fuzz')
    .from('members')
    .where('person_id', customer.id)
    .update({ default_instance_id: instance.id })
  return customer
}

function makePerson(audience: Audience, role: StaffRole | null): Promise<Person> {
  const email = freshEmail('fuzz')
  const person = { audience, role, email, name: email.split('@')[0], password: testPassword }
  return Person.create(person, { connection: 'fuzz' })
}

interface Answer {
  status: number
  text: string
}

/**
 * Sends a generated request from a new client address, without normalizing its path as `fetch` would. If the response
 * is an event stream, closes it once it starts.
 */
function send(base: string, odd: FuzzRequest, cookie: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      base,
      {
        path: odd.path,
        method: odd.method,
        agent: false,
        headers: {
          'x-forwarded-for': freshIp(),
          ...(cookie && { cookie }),
          ...odd.headers,
          ...(odd.body && { 'content-length': String(odd.body.length) }),
        },
      },
      (response) => {
        const status = response.statusCode ?? 0
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          resolve({ status, text: '' })
          return asked.destroy()
        }
        let text = ''
        response.on('data', (chunk) => (text += text.length < 2_000 ? chunk : ''))
        response.on('end', () => resolve({ status, text }))
        response.on('error', () => resolve({ status, text }))
      }
    )
    asked.setTimeout(120_000, () => asked.destroy(new Error('no answer within 120 s')))
    asked.on('error', reject)
    asked.end(odd.body ?? undefined)
  })
}

/** Returns whether a response shows an error in Berth. An unreachable host is not an error in Berth. */
function isFault({ status, text }: Answer): boolean {
  if (status < 500) return false
  return (
    status === 500 || !/machine|host|instance|try again/i.test(text) || /on our side/.test(text)
  )
}

test.group('Malformed requests', (group) => {
  let own: IsolatedConsole
  const people = new Map<Asker, Person>()
  const browsers = new Map<Asker, string>()

  // No retry, because the same seed would fail in the same way.
  group.each.retry(0)
  group.setup(async () => {
    own = await startIsolatedConsole()
    const connection = { client: 'pg' as const, connection: { connectionString: own.databaseUrl } }
    db.manager.add('fuzz', connection)
    // Registers this machine in the isolated console, because the hosts that the test creates belong to it.
    await db.connection('fuzz').table('machines').insert({ id: localMachineId(), name: 'fuzz' })
    return async () => {
      await db.manager.release('fuzz')
      await own.stop()
    }
  })

  async function makeAsker(asker: Asker): Promise<void> {
    const person =
      asker === 'customer' ? await someCustomer() : await makePerson('staff', asker as StaffRole)
    people.set(asker, person)
  }

  /** Signs in again if an earlier request may have ended the session, as a new person if that fails. */
  async function cookieOf(asker: Asker): Promise<string> {
    if (asker === 'signed out') return ''
    const kept = browsers.get(asker)
    if (kept) return kept
    if (!people.has(asker)) await makeAsker(asker)
    const visitor = new Visitor(own.url)
    try {
      await signIn(people.get(asker)!, visitor)
    } catch {
      await makeAsker(asker)
      await signIn(people.get(asker)!, visitor)
    }
    browsers.set(asker, visitor.cookie)
    return browsers.get(asker)!
  }

  test('cause no server error and no memory growth on any route, for any role', async ({
    assert,
  }) => {
    const all = routes()
    const least = all.length * askers.length
    const most = process.env.FUZZ_SECONDS ? Infinity : 2 * least
    const faults: string[] = []
    const statuses = new Map<number, number>()
    const began = Date.now()
    let warm: number | undefined
    let calls = 0
    process.stdout.write(`  seed "${seed}", ${all.length} routes\n`)
    const until = () => calls < least || (calls < most && Date.now() - began < seconds * 1_000)

    for (let turn = 0; only ? turn < only.length : until(); turn++) {
      const index = only ? only[turn] : turn
      const random = seededRandom(`${seed}:${index}`)
      const route = all[index % all.length]
      const asker = askers[Math.floor(index / all.length) % askers.length]
      const odd = generateFuzzRequest(route, random)
      const answer = await send(own.url, odd, await cookieOf(asker)).catch((error: Error) => ({
        status: 599,
        text: error.message,
      }))
      calls++
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const signedOut = answer.status === 401 || /logout|devices|password/.test(route)
      if (signedOut) browsers.delete(asker)
      if (isFault(answer)) {
        const body = odd.body?.toString().slice(0, 300) ?? ''
        faults.push(
          `${answer.status} ${odd.method} ${odd.path.slice(0, 300)} (${asker}) ${odd.headers['content-type'] ?? ''} ${body}\n` +
            `    ${answer.text.slice(0, 300)}\n    again: FUZZ_SEED=${seed} FUZZ_CALL=${index}`
        )
      }
      if (!own.alive()) throw new Error(`The console ended.\n${faults.join('\n')}`)
      if (calls === WARM_UP_CALLS) warm = await own.measureMemory()
    }

    const tally = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
    process.stdout.write(`  ${calls} calls, ${tally.join(', ')}\n`)
    assert.deepEqual(faults, [])
    if (warm === undefined) return
    const growth = (await own.measureMemory()) - warm
    process.stdout.write(
      `  memory after ${WARM_UP_CALLS} calls ${mebibytes(warm)}, then ${mebibytes(growth)} more\n`
    )
    assert.isBelow(growth, MAX_MEMORY_GROWTH_BYTES)
  }).timeout(Math.max(1_800, seconds * 2 + 200) * 1_000)
})

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
