import { mongodbDriver } from '#databases/mongodb/driver'
import DatabaseServer from '#databases/models/database_server'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import { eventually } from '#tests/support/eventually'
import { makeMongodbRepository } from '#tests/support/mongodb_repository'
import { overrideSettings } from '#tests/support/override_settings'
import { startSiteMachine, type SiteMachine } from '#tests/support/site_machine'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'

const socket = process.env.INCUS_SOCKET
const progress = { signal: new AbortController().signal, report: async () => {} }

test.group('MongoDB | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  let machine: SiteMachine
  let undo = () => {}
  const server = () => resolveDatabaseServer(machine.instance, 'mongodb')

  group.setup(async () => {
    machine = await startSiteMachine(socket)
    undo = overrideSettings({
      MONGODB_REPOSITORY: 'file:/srv/mongodb',
      MONGODB_REPOSITORY_KEY: 'trusted',
    })
  })
  group.teardown(async () => {
    undo()
    await machine?.close()
  })

  test('is not installed if the repository is empty, and nothing changes', async ({ assert }) => {
    const on = await server()
    await assert.rejects(
      () => mongodbDriver.servers.install(on, progress),
      /MongoDB 8\.0 cannot be installed on this server instance: file:\/srv\/mongodb has no package/
    )
    const { output } = await machine.inside('ls', '/etc/apt/sources.list.d', '/etc/apt/keyrings')
    assert.notInclude(output, 'mongodb')
    assert.equal((await mongodbDriver.servers.state(on)).status, 'absent')
  })

  test('is installed from its repository, requires a password, and works', async ({ assert }) => {
    for (const [path, bytes] of await makeMongodbRepository('bookworm')) {
      await machine.inside('mkdir', '-p', `/srv/mongodb/${path.slice(0, path.lastIndexOf('/'))}`)
      await machine.incus.instances.pushFile(machine.system, `/srv/mongodb/${path}`, bytes)
    }
    const on = await server()
    await mongodbDriver.servers.install(on, progress)
    // Installs again, as after an interruption. The administrator's password must stay the same.
    const { secret } = await DatabaseServer.findByOrFail('serverInstanceId', machine.instance.id)
    await mongodbDriver.servers.install(on, progress)
    const kept = await DatabaseServer.findByOrFail('serverInstanceId', machine.instance.id)
    assert.equal(kept.secret, secret)
    assert.isAtLeast(secret!.length, 24)
    const state = await mongodbDriver.servers.state(on)
    assert.equal(state.status, 'running', state.problem ?? '')
    assert.equal(state.version, 'MongoDB 8.0.99')
    assert.include(await mongodbDriver.servers.log(on), 'It was installed')
    const { output: listens } = await machine.inside('ss', '-Hltn', 'sport = :27017')
    assert.include(listens, '127.0.0.1:27017')
    const asked = { database: 'shop', username: 'shop', password: 'pass-word-1' }
    await mongodbDriver.accounts.create(on, asked)
    const found = await mongodbDriver.accounts.databases(on)
    assert.deepEqual(
      found.map(({ name }) => name),
      ['shop']
    )
    const credentials = { username: 'shop', password: 'pass-word-1' }
    await mongodbDriver.transfer.assertCredentials(on, 'shop', credentials)
    await assert.rejects(
      () =>
        mongodbDriver.transfer.assertCredentials(on, 'shop', {
          ...credentials,
          password: 'wrong-1',
        }),
      /user name or password is wrong/
    )
    // The process list contains no password. A relay process exits when the connection that it serves ends.
    const processes = async () => (await machine.inside('ps', '-eo', 'args')).output
    assert.notInclude(await processes(), secret!)
    await eventually(async () => assert.notInclude(await processes(), 'berth-relay'))
    await mongodbDriver.servers.act(on, 'stop')
    assert.equal((await mongodbDriver.servers.state(on)).status, 'stopped')
    await assert.rejects(() => mongodbDriver.accounts.databases(on), /is not running/)
  }).timeout(1_200_000)
})
