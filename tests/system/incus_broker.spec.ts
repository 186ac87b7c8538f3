import { actorOf } from '#identity/public'
import { boostInstance, endBoost } from '#instances/actions/boost_instance'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { checkHost } from '#hosts/check_host'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { updateInstance } from '#instances/actions/update_instance'
import { INSTALLATION_CONFIG_KEY, loadInstallationId } from '#hosts/installation_identity'
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import type { Actor } from '#core/contracts/actor'
import { runSteps } from '#core/operations/runner'
import { Incus, isIncusError } from '#packages/incus/main'
import { IncusBroker } from '#packages/incus-broker/main'
import { IncusMachine } from '#packages/machine/main'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socket = process.env.INCUS_SOCKET

test.group('Broker between web, gateway and this machine’s Incus', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  const incus = Incus.local(socket)
  const strange = uniqueName('strange')
  const foreign = uniqueName('foreign')
  const refusals: string[] = []
  let folder: string
  let broker: IncusBroker
  let host: HostInstance
  let customer: Actor
  let instance: ServerInstance
  let restore: () => Promise<void>
  const socketOf = (client: 'web' | 'gateway') => join(folder, client)

  group.setup(async () => {
    await failLeftoverOperations()
    restore = await disableOtherHosts()
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active', incusUrl: null }).save()
    customer = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('regular')
    const ordered = await orderInstance(customer, {
      name: uniqueName('broker'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    await runSteps(ordered.operation.id)
    instance = await ordered.instance.refresh()
    const others: Record<string, Record<string, string>> = {
      [strange]: {},
      [foreign]: { [INSTALLATION_CONFIG_KEY]: crypto.randomUUID() },
    }
    for (const [name, config] of Object.entries(others)) {
      await (await incus.instances.create({ name, image: 'berth-base', config })).wait(120)
    }
    folder = await mkdtemp(join(tmpdir(), 'berth-broker-'))
    broker = new IncusBroker({
      incus: socket,
      installation: await loadInstallationId(),
      onRefused: ({ client, reason }) => refusals.push(`${client}: ${reason}`),
    })
    for (const client of ['web', 'gateway'] as const) await broker.listen(client, socketOf(client))
    await host.merge({ incusUrl: `unix:${socketOf('web')}` }).save()
    return async () => {
      await host.merge({ incusUrl: null }).save()
      await broker.close()
      await runSteps((await deleteInstance(customer, instance.id)).id)
      for (const name of [strange, foreign]) await (await incus.instances.delete(name)).wait(120)
      await incus.close()
      await rm(folder, { recursive: true })
      await restore()
    }
  })

  function ask(
    client: 'web' | 'gateway',
    method: string,
    path: string,
    body?: object | string
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: socketOf(client), method, path }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      })
      asked.on('error', reject)
      asked.end(typeof body === 'object' ? JSON.stringify(body) : body)
    })
  }

  test('allows commands and terminals', async ({ assert }) => {
    const through = Incus.local(socketOf('web'))
    const machine = new IncusMachine(through.instances, instance.systemId!)
    const { stdout } = await machine.exec(['hostname'], { timeout: 60_000 })
    assert.equal(stdout.toString().trim(), instance.name)
    const large = Buffer.alloc(3_000_000, 'x')
    const echoed = await machine.exec(['wc', '-c'], { stdin: large, timeout: 60_000 })
    assert.equal(echoed.stdout.toString().trim(), String(large.length))
    await machine.close()
    await through.close()

    const forTerminals = Incus.local(socketOf('gateway'))
    const other = new IncusMachine(forTerminals.instances, instance.systemId!)
    const shell = await other.shell({ cols: 77, rows: 22 })
    let shown = ''
    shell.on('data', (chunk) => (shown += chunk.toString()))
    await shell.write('echo "size=$(stty size) on $(hostname)"\n')
    await eventually(() => assert.include(shown, `size=22 77 on ${instance.name}`))
    shell.close()
    await other.close()
    await forTerminals.close()
  })

  test('allows Build Mode, ports and host health as the console uses them', async ({ assert }) => {
    await boostInstance(customer, instance.id)
    const raised = (await incus.instances.get(instance.systemId!)).config
    assert.notEqual(raised['limits.memory'], `${instance.memoryBytes}B`)
    await instance.refresh()
    await ServerInstance.query()
      .where('id', instance.id)
      .update({ boosted_until: new Date(0) })
    assert.isTrue(await endBoost(instance.id))

    const { ports, ip } = instance
    const free = Math.max(...Object.values(ports)) === 39_999 ? 39_000 : 39_999
    await updateInstance(customer, instance.id, { ip: ip!, ports: { ...ports, 8080: free } })
    const devices = async () => (await incus.instances.get(instance.systemId!)).devices
    assert.match((await devices())['port-8080'].listen, new RegExp(`:${free}$`))
    await updateInstance(customer, instance.id, { ip: ip!, ports })
    assert.notProperty(await devices(), 'port-8080')
    assert.equal(await checkHost(host), 'active')
  })

  test('allows no call that gives root access to the machine', async ({ assert }) => {
    const own = `/1.0/instances/${instance.systemId}`
    const door = {
      type: 'proxy',
      bind: 'instance',
      listen: 'tcp:127.0.0.1:99',
      connect: `unix:${socket}`,
    }
    const plain = {
      type: 'proxy',
      listen: 'tcp:0.0.0.0:39998',
      connect: 'tcp:127.0.0.1:80',
    }
    const command = { command: ['id'], 'wait-for-websocket': true }
    const { config, devices } = await incus.instances.get(instance.systemId!)
    const calls: [string, string, (object | string)?][] = [
      ['POST', '/1.0/instances', { name: 'evil', source: { type: 'none' } }],
      ['PATCH', own, { config: { 'security.privileged': 'true' } }],
      ['PATCH', own, { config: { 'raw.lxc': 'lxc.hook.pre-start=/bin/true' } }],
      ['PATCH', own, { Config: { 'security.privileged': 'true' } }],
      ['PATCH', own, { profiles: ['other'] }],
      ['PATCH', own, { devices: { host: { type: 'disk', source: '/', path: '/host' } } }],
      ['PATCH', own, { devices: { 'port-1': { type: 'disk', source: '/', path: '/host' } } }],
      ['PATCH', own, { devices: { 'port-1': door } }],
      ['PATCH', own, { devices: { 'port-1': { ...plain, connect: `unix:${socket}` } } }],
      ['PATCH', own, { devices: { 'port-1': { ...plain, bind: 'instance' } } }],
      ['PATCH', own, { devices: { 'port-1': { ...plain, 'security.uid': '0' } } }],
      ['PUT', own, { config: { ...config, 'security.nesting': 'true' }, devices }],
      ['PUT', own, { config, devices: { ...devices, 'port-1': door } }],
      ['PUT', own, { config, devices: {} }],
      ['DELETE', own],
      ['PUT', `${own}/state`, { action: 'stop' }],
      ['POST', `${own}/exec?project=default`, command],
      ['POST', `/1.0/instances/${strange}/exec`, command],
      ['POST', `/1.0/instances/${foreign}/exec`, command],
      ['PATCH', `/1.0/instances/${foreign}`, { config: { 'limits.cpu': '1' } }],
      ['POST', `${own}/../${foreign}/exec`, command],
      ['POST', `${own}%2fexec`, command],
      ['GET', `${own}/sftp`],
      ['GET', `/1.0/instances/${foreign}/sftp`],
      ['GET', `/1.0/instances/${foreign}/files?path=/etc/shadow`],
      ['GET', '/1.0/instances?recursion=1'],
      ['GET', '/1.0/operations?recursion=1'],
      ['GET', '/1.0/events'],
      ['GET', '/1.0/certificates'],
      ['POST', '/1.0/certificates', { type: 'client' }],
      ['PUT', '/1.0', { config: { 'core.https_address': ':8443' } }],
      ['PATCH', '/1.0/profiles/default', { config: { 'security.privileged': 'true' } }],
      ['POST', '/1.0/storage-pools', { name: 'evil', driver: 'dir' }],
      ['PATCH', own, '{"config": {"a":'],
    ]
    const before = JSON.stringify(await incus.instances.get(instance.systemId!))
    for (const [method, path, body] of calls) {
      const what = `${method} ${path} ${JSON.stringify(body)}`
      for (const client of ['web', 'gateway'] as const) {
        refusals.length = 0
        assert.equal((await ask(client, method, path, body)).status, 403, `${client} ${what}`)
        assert.lengthOf(refusals, 1, what)
      }
    }
    assert.equal(JSON.stringify(await incus.instances.get(instance.systemId!)), before)

    const known = await ask('web', 'GET', `/1.0/instances/${foreign}`)
    assert.equal(known.status, 200)
    assert.notInclude(known.text, 'volatile')
    assert.include(known.text, INSTALLATION_CONFIG_KEY)
    assert.equal((await ask('web', 'GET', '/1.0/instances/nobody')).status, 404)
    for (const path of ['/1.0', '/1.0/resources', own]) {
      assert.equal((await ask('gateway', 'GET', path)).status, 403, path)
    }
  })

  test('forwards no further request on a connection whose upgrade Incus rejected', async ({
    assert,
  }) => {
    const nobody = `/1.0/operations/${crypto.randomUUID()}/websocket?secret=none`
    const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']
    const first = ['GET ' + nobody + ' HTTP/1.1', 'host: incus', ...upgrade]
    const second = ['GET /1.0/certificates HTTP/1.1', 'host: incus', 'connection: close']
    const calls = [[...first, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='], second]
    const socket = connect(socketOf('gateway'))
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(calls.map((lines) => [...lines, '', ''].join('\r\n')).join(''))
    await once(socket, 'end')
    assert.match(text, /^HTTP\/1\.1 404/)
    assert.lengthOf(text.match(/HTTP\/1\.1/g)!, 1, text)
  })

  test('rejects requests about an instance whose root is root on the host', async ({ assert }) => {
    await incus.instances.patch(instance.systemId!, { config: { 'security.privileged': 'true' } })
    try {
      const through = Incus.local(socketOf('web'))
      // Waits, because the broker caches an instance's details for some seconds.
      await eventually(async () => {
        const failure = await through.instances.exec(instance.systemId!, ['id']).then(
          () => null,
          (error: unknown) => error
        )
        assert.isTrue(isIncusError(failure, 'forbidden'))
      })
      await through.close()
    } finally {
      const config = { 'security.privileged': '' }
      await incus.instances.patch(instance.systemId!, { config })
    }
  })
})
