import { buildFolder } from '../../cli/build.js'
import { type BerthHome, openHome } from '../../cli/berth_home.js'
import { registerThisMachine } from '../../cli/register_this_machine.js'
import type { BerthDatabase } from '../../cli/postgres/connections.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from '../../cli/roles.js'
import { aceArgv, migrateDatabase, waitFor200 } from '../../cli/ace_commands.js'
import { runOrThrow } from '../../cli/run_program.js'
import { FakeIncus } from '#packages/incus/fake'
import { eventually } from '#tests/support/eventually'
import { Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** A machine that runs a console: its home, its Incus and the last configuration that its edge received. */
interface ControlMachine {
  home: BerthHome
  url: string
  env: NodeJS.ProcessEnv
  fake: FakeIncus
  told(): string
  start(role: 'web' | 'worker'): void
}

test.group('Two consoles on one database', (group) => {
  let folder: string
  let database: BerthDatabase
  let client: pg.Client
  const ends: (() => Promise<unknown>)[] = []
  group.each.timeout(1_800_000)

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-two-'))
    return async () => {
      for (const end of ends.splice(0).reverse()) await end()
      await rm(folder, { recursive: true, force: true })
    }
  })

  async function machine(name: string): Promise<ControlMachine> {
    const home = await openHome(join(folder, name))
    const fake = await FakeIncus.start()
    ends.push(() => fake.stop())
    const edge = await edgeOf()
    const ports = await findFreePorts()
    const url = `http://127.0.0.1:${ports.web}`
    const given = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'fatal', APP_URL: url }
    const local = {
      incusSocket: fake.socketPath,
      edge: { admin: edge.address, httpPort: 80, httpsPort: 443 },
    }
    const env = commonProcessEnv({ home, database, ports, mode: 'test', local, env: given })
    // Starts a role from the build, which starts much faster than the sources.
    const start = (role: string) => {
      const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), role], {
        cwd: buildFolder,
        env: { ...env, BERTH_ROLE: role },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      ends.push(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      })
    }
    return { home, url, env, fake, told: edge.told, start }
  }

  /** Starts a fake Caddy that stores the last configuration it received. */
  async function edgeOf() {
    let told = ''
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const isLoad = request.method === 'POST'
        if (isLoad) told = Buffer.concat(chunks).toString()
        const version = request.url?.split('/')[2] ?? ''
        response.writeHead(isLoad || told.includes(version) ? 200 : 404).end('{}')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(async () => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as { port: number }
    return { address: `127.0.0.1:${port}`, told: () => told }
  }

  async function rows<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await client.query(sql, values)).rows as Row[]
  }

  test('each console manages its own host and edge, and operations run on the console that can reach their host', async ({
    assert,
  }) => {
    const homeOfDatabase = await openHome(join(folder, 'first'))
    database = await openDatabase(homeOfDatabase, { fast: true, env: {} })
    ends.push(async () => {
      await database.stop()
      const data = await findRealPostgresFolder(homeOfDatabase.path)
      if (data) await rm(data, { recursive: true, force: true })
    })
    client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    ends.push(() => client.end())

    const first = await machine('first')
    await migrateDatabase({ ...first, database, from: 'build', always: true })

    // A console with other secrets cannot be registered, because it could not decrypt anything.
    const stranger = await openHome(join(folder, 'stranger'))
    await assert.rejects(
      () => registerThisMachine(stranger, database, { APP_KEY: stranger.secrets.appKey }),
      /another installation.*copy secrets\.json/
    )
    await openHome(join(folder, 'second'))
    await cp(join(folder, 'first/secrets.json'), join(folder, 'second/secrets.json'))
    const second = await machine('second')
    await migrateDatabase({ ...second, database, from: 'build', always: true })
    const machines = await rows<{ id: string }>('select id from machines')
    assert.sameMembers(
      machines.map(({ id }) => id),
      [first.home.machine, second.home.machine]
    )

    // Each console registers only its own host.
    for (const { env } of [first, second, second]) {
      await runOrThrow(aceArgv('build', ['host:register-local']), {
        env: migrationEnv(env, database),
      })
    }
    const hosts = await rows<{ id: number; machine_id: string }>(
      'select id, machine_id from host_instances where is_local order by id'
    )
    assert.deepEqual(
      hosts.map((host) => host.machine_id),
      [first.home.machine, second.home.machine]
    )

    const admin = await runOrThrow(aceArgv('build', ['people:first-admin']), { env: first.env })
    const { email, password } = JSON.parse(admin.split('\n').find((line) => line.startsWith('{'))!)
    const [{ id: customer }] = await rows<{ id: number }>(
      `insert into people (audience, name, email) values ('customer', 'Two', 'two@example.com')
       returning id`
    )
    await rows(`insert into accounts (id, name) values ($1, 'Two')`, [customer])
    const instances: number[] = []
    for (const [index, host] of hosts.entries()) {
      const [{ id }] = await rows<{ id: number }>(
        `insert into server_instances (account_id, host_instance_id, server_package_id,
           package_version_id, name, instance_type, status, billing_period, system_id, private_ip)
         select $1, $2, server_package_id, id, $3, 'shared', 'active', 'month', $3, '10.10.10.9'
         from package_versions order by id limit 1 returning id`,
        [customer, host.id, `on-${index}`]
      )
      await rows(
        `insert into domains (server_instance_id, account_id, subdomain, status, proven_by,
           proven_at, wants_certificate, check_at)
         values ($1, $2, $3, 'active', 'address', now(), true, now() + interval '1 day')`,
        [id, customer, `on-${index}.example.com`]
      )
      instances.push(id)
    }
    const [{ value: installation }] = await rows<{ value: string }>(
      `select value from settings where key = 'installation_id'`
    )
    for (const [index, { fake }] of [first, second].entries()) {
      const config = {
        'user.berth.installation': installation,
        'user.berth.instance': String(instances[index]),
      }
      const { Incus } = await import('#packages/incus/main')
      const incus = Incus.local(fake.socketPath)
      const made = { name: `on-${index}`, image: 'berth-base', start: true, config }
      await (await incus.instances.create(made)).wait(30)
      await incus.close()
    }

    // Only the second console runs now. It must not manage the first console's host.
    second.start('web')
    second.start('worker')
    assert.isTrue(await waitFor200(`${second.url}/health`, 300_000))
    await eventually(async () => assert.include(second.told(), 'on-1.example.com'), 300_000)
    const checked = `select status, machine_id from host_instances h
      join schedules s using (machine_id) where s.name = 'hosts.check' and s.ended_at is not null`
    await eventually(async () => assert.lengthOf(await rows(checked), 1), 300_000)
    // A host that has not reported for two minutes is offline for all consoles, raises an alert and gets no orders.
    await rows(`update host_instances set seen_at = now() - interval '121 s' where id = $1`, [
      hosts[0].id,
    ])
    const statusOfHosts = 'select status, status_reason from host_instances order by id'
    await eventually(async () => {
      const [silent, heard] = await rows<Record<string, string>>(statusOfHosts)
      assert.deepEqual([silent.status, heard.status], ['offline', 'active'])
      assert.include(silent.status_reason, 'No console has reported about this host for 2 minutes')
    }, 300_000)
    await eventually(async () => {
      const alerts = await rows<{ words: string }>(
        `select words from alerts where name = 'hosts.away' and status = 'firing'`
      )
      assert.lengthOf(alerts, 1)
      assert.include(alerts[0].words, 'No console has reported about this host')
    }, 300_000)
    assert.notInclude(second.told(), 'on-0.example.com')
    const findings = await rows('select words from compute_findings where gone_at is null')
    assert.deepEqual(findings, [])

    // The second console accepts deletions on both hosts. It deletes on its own host at once. The first console
    // deletes on its host when it runs again.
    const staff = new Visitor(second.url)
    await staff.page('/admin/login')
    const signedIn = await staff.post('/admin/login', { email, password })
    assert.isTrue(signedIn.json.success, signedIn.text)
    for (const [index, id] of instances.entries()) {
      const asked = { id, name: `on-${index}` }
      const { json } = await staff.post('/admin/server-instance/delete', asked)
      assert.isTrue(json.success, json.message)
    }
    const statusOf = async (id: number) =>
      (await rows<{ status: string }>('select status from server_instances where id = $1', [id]))[0]
        .status
    await eventually(async () => assert.equal(await statusOf(instances[1]), 'deleted'), 300_000)
    await eventually(async () => {
      const waiting = await rows<{ machine_id: string }>(
        `select machine_id from operations where subject_id = $1 and status = 'running'`,
        [String(instances[0])]
      )
      assert.deepEqual(waiting, [{ machine_id: first.home.machine }])
    })
    assert.isTrue(first.fake.state.instances.has('on-0'))

    first.start('web')
    first.start('worker')
    await eventually(async () => assert.equal(await statusOf(instances[0]), 'deleted'), 300_000)
    assert.isFalse(first.fake.state.instances.has('on-0'))
    assert.isTrue(await waitFor200(`${first.url}/health`, 300_000))
    await eventually(async () => assert.lengthOf(await rows(checked), 2), 300_000)
    await eventually(async () => {
      const statuses = (await rows<{ status: string }>(statusOfHosts)).map(({ status }) => status)
      assert.deepEqual(statuses, ['active', 'active'])
    })
  })
})
