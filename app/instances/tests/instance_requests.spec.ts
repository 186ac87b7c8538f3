import ServerPackage, { type InstanceType } from '#catalog/models/server_package'
import { runSteps } from '#core/operations/runner'
import { checkHost } from '#hosts/check_host'
import { incusClientFor } from '#hosts/incus_connections'
import HostInstance from '#hosts/models/host_instance'
import type Person from '#identity/models/person'
import { instanceLabels, incusNameOf } from '#instances/containers/labels'
import { connectToActiveInstance } from '#instances/instance_machines'
import ServerInstance, { type InstanceStatus } from '#instances/models/server_instance'
import type { InstancePage } from '#instances/transformers/page_props'
import type { FakeIncus } from '#packages/incus/fake'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn, Visitor } from '#tests/support/people'
import { appUrl } from '#config/app'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const WRONG_NAME_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'

test.group('Requests for server instances', (group) => {
  failOnSecondConnections(group)
  let fake: FakeIncus
  let host: HostInstance
  let owner: Person
  let customer: Visitor

  group.setup(async () => {
    // Enough capacity for all instances of these tests.
    const size = { memoryTotal: 64 * 1024 ** 3, diskTotal: 400 * 1024 ** 3 }
    const started = await startFakeHost({ change: size, alone: true })
    ;({ fake, host } = started)
    owner = await makeCustomer()
    customer = await signIn(owner)
    return started.stop
  })

  async function instanceOf(
    person: Person,
    status: InstanceStatus = 'active',
    instanceType: InstanceType = 'regular'
  ) {
    const { id } = await createSmallPackage(instanceType)
    const row = await ServerInstance.create({
      accountId: person.id,
      hostInstanceId: host.id,
      serverPackageId: id,
      name: uniqueName('web'),
      instanceType,
      status,
      billingPeriod: 'month',
      ip: '127.0.0.1',
      username: 'berth',
      sshKey: 'PRIVATE-KEY-OF-THE-INSTANCE',
      ports: {},
      boostMode: true,
      vcpu: 1,
      memoryBytes: 256 * 1024 ** 2,
      diskBytes: 3 * 1024 ** 3,
    })
    await row.merge({ systemId: await incusNameOf(row.id) }).save()
    const { instances } = incusClientFor(host)
    const config = await instanceLabels(row.id)
    await (await instances.create({ name: row.systemId!, image: 'berth-base', config })).wait()
    return row
  }

  /** Adds a network with this address to the fake host. Berth then accepts the address for instances. */
  function ownAddress(address: string) {
    fake.state.networks.set(address, {
      name: address,
      description: '',
      type: 'physical',
      managed: false,
      status: '',
      config: { 'ipv4.address': `${address}/24` },
      used_by: [],
    })
  }

  test('an order returns its operation immediately, and the list shows the instance', async ({
    assert,
  }) => {
    const { id } = await createSmallPackage('shared')
    const name = uniqueName('shop')
    const order = { name, instance_type: 'shared', server_package_id: id, billing_period: 'year' }
    const { status, json } = await customer.post('/server-instance/store', order)
    assert.equal(status, 202)
    assert.isString(json.data?.operation_id)
    const list = await customer.page('/server-instance/list')
    const { instances } = list.json.props as { instances: { name: string; status: string }[] }
    assert.equal(instances.find((one) => one.name === name)?.status, 'pending')
    const again = await customer.post('/server-instance/store', order)
    assert.equal(again.status, 422)
    assert.property(again.json.errors, 'name')
  })

  test('an order with an invalid name, type or period is rejected', async ({ assert }) => {
    const { id } = await createSmallPackage('shared')
    const order = {
      name: 'fine-name',
      instance_type: 'shared',
      server_package_id: id,
      billing_period: 'month',
    }
    for (const [field, value] of [
      ['name', 'ab'],
      ['name', 'Upper'],
      ['name', 'a'.repeat(41)],
      ['name', 'x;reboot'],
      ['instance_type', 'huge'],
      ['billing_period', 'day'],
      ['server_package_id', 999_999_999],
    ]) {
      const changed = { ...order, [field]: value }
      const { status, json } = await customer.post('/server-instance/store', changed)
      assert.equal(status, 422, `${field} ${value}`)
      assert.property(json.errors, String(field))
    }
  })

  test('instances of other accounts get 404 on every route', async ({ assert }) => {
    const theirs = await instanceOf(await makeCustomer())
    const { id, name } = theirs
    const calls = (key: unknown): [string, string, object?][] => [
      ['GET', `/server-instance/${key}`],
      ['GET', `/server-instance/${key}/metrics`],
      ['GET', `/server-instance/boost/info?server_instance_id=${key}`],
      ['POST', '/server-instance/boost', { server_instance_id: key }],
      ['POST', '/server-instance/update', { id: key, domains: [] }],
      ['POST', '/server-instance/start', { id: key }],
      ['POST', '/server-instance/stop', { id: key }],
      ['POST', '/server-instance/restart', { id: key }],
      ['POST', '/server-instance/retry', { id: key }],
      ['POST', '/server-instance/delete', { id: key, name }],
      ['POST', `/server-instance/set-as-default/${key}`],
    ]
    const unknown = calls(999_999_999)
    for (const [index, [method, path, body]] of calls(id).entries()) {
      const send = (to: string, what?: object) =>
        method === 'GET' ? customer.get(to) : customer.post(to, what)
      const answer = await send(path, body)
      const nobody = await send(unknown[index][1], unknown[index][2])
      assert.equal(answer.status, 404, path)
      assert.deepEqual([answer.status, answer.json], [nobody.status, nobody.json], path)
    }
    assert.equal((await theirs.refresh()).status, 'active')
    for (const odd of ['0', '-1', '1e3', '9'.repeat(30), "1' or 1=1", ['1', '2']]) {
      const { status } = await customer.post('/server-instance/stop', { id: odd })
      assert.equal(status, 404, String(odd))
    }
  })

  test('pages contain no key and no Incus name', async ({ assert }) => {
    const own = await instanceOf(owner)
    for (const path of ['/server-instance/list', `/server-instance/${own.id}`]) {
      const { text, status } = await customer.page(path)
      assert.equal(status, 200)
      assert.notInclude(text, 'PRIVATE-KEY')
      assert.notInclude(text, own.systemId!)
    }
  })

  test('the default instance is set by POST, or by GET from our own pages', async ({ assert }) => {
    const { id } = await instanceOf(owner)
    const chosen = async () => {
      const row = await db.from('members').where('person_id', owner.id).first()
      return Number(row.default_instance_id)
    }
    const path = `/server-instance/set-as-default/${id}`
    for (const headers of [{}, { referer: 'http://evil.example/' }, { origin: 'null' }]) {
      assert.equal((await customer.get(path, headers as Record<string, string>)).status, 403)
    }
    assert.notEqual(await chosen(), id)
    const fromPage = { referer: `${appUrl}/server-instance/list` }
    assert.equal((await customer.get(path, fromPage)).status, 200)
    assert.equal(await chosen(), id)
    const other = await instanceOf(owner)
    assert.equal((await customer.post(`/server-instance/set-as-default/${other.id}`)).status, 200)
    assert.equal(await chosen(), other.id)
  })

  test('services, dashboard and profile also include stopped instances', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    const { id, serverPackageId } = await instanceOf(person, 'stopped')
    await instanceOf(person, 'deleted')
    const { name } = await ServerPackage.findOrFail(serverPackageId)
    const services = await new Visitor().page('/services')
    const offered = services.json.props?.servers as {
      name: string
      pricing: unknown[]
      sold_out: boolean
    }[]
    assert.lengthOf(offered.find((one) => one.name === name)!.pricing, 2)
    assert.isTrue(offered.every((one) => typeof one.sold_out === 'boolean'))

    const dashboard = await visitor.page('/')
    const tiles = dashboard.json.props?.counts as { label: string; count: number }[]
    assert.deepEqual(
      tiles.map(({ label, count }) => `${label} ${count}`),
      [
        'Total Servers 1',
        'Total Projects 0',
        'Total Databases 0',
        'Total Emails 0',
        'Total Vaults 0',
      ]
    )

    const change = { name: 'Somebody', default_instance_id: id }
    assert.equal((await visitor.post('/profile/update', change)).status, 200)
    const profile = await visitor.page('/profile')
    assert.containSubset(profile.json.props, {
      profile: { default_instance_id: id },
      instances: [{ id }],
    })
    const foreign = { ...change, default_instance_id: (await instanceOf(owner)).id }
    assert.equal((await visitor.post('/profile/update', foreign)).status, 422)
  })

  test('a deletion requires the instance’s name, works once, and clears the default', async ({
    assert,
  }) => {
    const { id, name } = await instanceOf(owner)
    const wrong = await customer.post('/server-instance/delete', { id, name: `${name}x` })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.json.message, WRONG_NAME_MESSAGE)
    const done = await customer.post('/server-instance/delete', { id, name })
    assert.equal(done.status, 202)
    const again = await customer.post('/server-instance/delete', { id, name })
    assert.equal(again.status, 409)
    await runSteps(String(done.json.data?.operation_id))
  })

  test('customers search by the beginning of a name, staff by any part and by customer', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    const staff = await signIn(await makeStaff('support'))
    const word = uniqueName('berth')
    for (const [name, ip] of [
      [`b-${word}`, '192.0.2.10'],
      [`a-${word}`, '192.0.2.9'],
      [`c-${word}`, null],
    ] as const) {
      await (await instanceOf(person)).merge({ name, ip }).save()
    }
    const listed = async (query: string, who = visitor, prefix = '') => {
      const { json } = await who.get(`${prefix}/server-instance/list?${query}`)
      return (json.data!.instances as { name: string }[]).map(({ name }) => name[0]).join('')
    }
    assert.equal(await listed(''), 'cab')
    assert.equal(await listed('sort=name'), 'abc')
    assert.equal(await listed('sort=-name'), 'cba')
    assert.equal(await listed('sort=ip'), 'abc')
    assert.equal(await listed('sort=customer'), 'cab')
    assert.equal(await listed('sort=ip;x&page=x&status=nonsense&length=3'), 'cab')
    assert.equal(await listed('search=A-'), 'a')
    assert.equal(await listed(`search=${word}`), '')
    assert.equal(await listed(`sort=name&search=${word}`, staff, '/admin'), 'abc')
    assert.equal(await listed(`sort=name&search=${person.email}`, staff, '/admin'), 'abc')
    assert.equal(await listed(`sort=host&search=a-${word}`, staff, '/admin'), 'a')
    for (const sort of ['name', 'status', 'age', 'nonsense']) {
      const hosts = await staff.get(`/admin/host-instance/list?sort=-${sort}&search=%25`)
      assert.equal(hosts.json.data!.count, 0)
    }
  })

  test('owner and staff see a deleted instance, and no action works on it', async ({ assert }) => {
    const { id, name, serverPackageId } = await instanceOf(owner)
    const gone = await customer.post('/server-instance/delete', { id, name })
    await runSteps(String(gone.json.data?.operation_id))
    const support = await signIn(await makeStaff('support'))
    const admin = await signIn(await makeStaff())
    const stranger = await signIn(await makeCustomer())

    for (const [visitor, area, query] of [
      [customer, '', '?status=deleted'],
      [support, '/admin', `?search=${name}`],
      [admin, '/admin', `?search=${name}`],
    ] as const) {
      const list = await visitor.page(`${area}/server-instance/list${query}`)
      const { instances } = list.json.props as { instances: { id: number; status: string }[] }
      assert.equal(instances.find((one) => one.id === id)?.status, 'deleted')
      const { status, json } = await visitor.page(`${area}/server-instance/${id}`)
      assert.equal(status, 200)
      const { instance, deletion, history } = json.props as unknown as InstancePage
      assert.equal(deletion!.by, `${owner.name} <${owner.email}>`)
      assert.isNotNaN(Date.parse(deletion!.at))
      for (const { allowed, reason } of Object.values(instance.can)) {
        assert.deepEqual([allowed, reason], [false, 'The instance is deleted.'])
      }
      const actions = history.activity.map(({ action }) => action)
      assert.includeMembers(actions, ['instance.delete', 'instance.deleted'])
      assert.equal(history.operations[0].title, `Deleting ${name}`)
      assert.equal((await visitor.get(`${area}/server-instance/${id}/metrics`)).status, 200)
    }
    assert.equal((await stranger.page(`/server-instance/${id}`)).status, 404)
    const theirs = await stranger.page('/server-instance/list')
    assert.lengthOf((theirs.json.props as { instances: object[] }).instances, 0)

    const present = await customer.page('/server-instance/list')
    const left = (present.json.props as { instances: { id: number }[] }).instances
    assert.isFalse(left.some((one) => one.id === id))

    const body = { id, name, confirm_name: name, server_instance_id: id, domains: [] }
    for (const verb of ['start', 'stop', 'restart', 'retry', 'delete', 'update', 'boost']) {
      assert.equal((await customer.post(`/server-instance/${verb}`, body)).status, 404, verb)
    }
    const changes = { ...body, reason: 'because', server_package_id: serverPackageId }
    for (const verb of [
      'start',
      'stop',
      'restart',
      'retry',
      'delete',
      'update',
      'suspend',
      'resume',
      'resize',
    ]) {
      assert.equal((await admin.post(`/admin/server-instance/${verb}`, changes)).status, 404, verb)
    }
    const grant = { server_instance_id: id }
    assert.equal((await customer.post('/terminal/grants', grant)).status, 404)
    // The name of a deleted instance can be used again.
    const again = { name, instance_type: 'regular', billing_period: 'month' }
    const order = { ...again, server_package_id: serverPackageId }
    assert.equal((await customer.post('/server-instance/store', order)).status, 202)
  })

  test('an action that the status does not allow is rejected with the reason', async ({
    assert,
  }) => {
    const { id } = await instanceOf(owner, 'suspended')
    for (const verb of ['start', 'stop', 'restart']) {
      const { status, json } = await customer.post(`/server-instance/${verb}`, { id })
      assert.deepEqual([status, json.message], [409, 'The instance is suspended.'])
    }
    const busy = await instanceOf(owner)
    assert.equal((await customer.post('/server-instance/stop', { id: busy.id })).status, 202)
    assert.equal((await customer.post('/server-instance/restart', { id: busy.id })).status, 409)
  })

  test('support staff see all instances and change none', async ({ assert }) => {
    const support = await signIn(await makeStaff('support'))
    const { id, name, serverPackageId } = await instanceOf(owner)
    for (const path of [
      '/admin/server-instance/list',
      `/admin/server-instance/${id}`,
      '/admin/host-instance/list',
      `/admin/host-instance/${host.id}`,
      '/admin/server-package/list',
    ]) {
      const { status, text } = await support.page(path)
      assert.equal(status, 200, path)
      assert.notInclude(text, 'PRIVATE-KEY')
    }
    for (const [path, body] of [
      ['server-instance/update', { id, confirm_name: name }],
      ['server-instance/stop', { id }],
      ['server-instance/delete', { id, name }],
      ['server-instance/suspend', { id, name, reason: 'because' }],
      ['server-instance/resize', { id, name, server_package_id: serverPackageId }],
      ['host-instance/store', { name: 'x', token: 'y' }],
      ['host-instance/maintenance', { id: host.id, on: true }],
      ['host-instance/delete', { id: host.id, name: host.name }],
      ['server-package/store', {}],
    ] as [string, object][]) {
      assert.equal((await support.post(`/admin/${path}`, body)).status, 403, path)
    }
  })

  test('administrators can update addresses, ports and domains of instances, and a wrong typed name is rejected', async ({
    assert,
  }) => {
    const admin = await signIn(await makeStaff())
    const row = await instanceOf(owner)
    ownAddress('192.0.2.10')
    const fields = {
      id: row.id,
      server_package_id: row.serverPackageId,
      ip: '192.0.2.10',
      username: 'berth',
      system_id: row.systemId,
      ports: { ssh: 28_001, 3000: 28_002 },
    }
    const update = (body: object) => admin.post('/admin/server-instance/update', body)
    const unconfirmed = await update({ ...fields, confirm_name: 'another' })
    assert.deepEqual([unconfirmed.status, unconfirmed.json.message], [422, WRONG_NAME_MESSAGE])
    assert.property(unconfirmed.json.errors, 'confirm_name')
    // As specified, `confirm_name` is optional: only the page requires it.
    assert.equal((await update(fields)).status, 200)
    await row.refresh()
    assert.deepEqual([row.ip, row.ports], ['192.0.2.10', { ssh: 28_001, 3000: 28_002 }])
    const { devices } = fake.state.instances.get(row.systemId!)!.instance
    assert.match(devices['port-3000'].listen, /:28002$/)
    const other = await instanceOf(owner)
    const taken = await update({
      ...fields,
      id: other.id,
      server_package_id: other.serverPackageId,
      system_id: other.systemId,
      confirm_name: other.name,
    })
    assert.equal(taken.status, 422)
    assert.property(taken.json.errors, 'ports')
    const shared = await instanceOf(owner, 'active', 'shared')
    const domains = [`${uniqueName('site')}.example.com`]
    const saved = await update({ id: shared.id, domains, confirm_name: shared.name })
    assert.equal(saved.status, 200)
    assert.lengthOf(await db.from('domains').where('server_instance_id', shared.id), 1)
    const entry = await db
      .from('audit_entries')
      .where({ subject_type: 'server_instance', subject_id: String(row.id) })
      .where('action', 'instance.update')
      .first()
    assert.equal(entry.after.ip, '192.0.2.10')
  })

  test('a rejected update changes nothing in Berth or Incus', async ({ assert }) => {
    const admin = await signIn(await makeStaff())
    const row = await instanceOf(owner)
    ownAddress('192.0.2.11')
    const fields = {
      id: row.id,
      server_package_id: row.serverPackageId,
      ip: '127.0.0.1',
      username: 'berth',
      system_id: row.systemId,
      ports: { ssh: 28_011 } as Record<string, number>,
    }
    const update = (change: object) =>
      admin.post('/admin/server-instance/update', { ...fields, ...change })
    assert.equal((await update({})).status, 200)
    const known = async () => {
      const { ip, username, systemId, ports, privateIp } = await ServerInstance.findOrFail(row.id)
      const leases = await db.from('port_leases').where('server_instance_id', row.id)
      const audited = await db
        .from('audit_entries')
        .where({ subject_type: 'server_instance', subject_id: String(row.id) })
      const { config, devices } = fake.state.instances.get(row.systemId!)!.instance
      const marks = Object.values(config).filter(Boolean)
      const all = { ip, username, systemId, ports, privateIp, leases, marks, devices }
      return { ...structuredClone(all), audited: audited.length }
    }
    const before = await known()

    const sold = await createSmallPackage('regular')
    await sold.merge({ offered: false }).save()
    const huge = await createSmallPackage('regular', { diskGb: 9_000 })
    const taken = await instanceOf(owner)
    const stubborn = uniqueName('stubborn-fail-update')
    await (
      await incusClientFor(host).instances.create({ name: stubborn, image: 'berth-base' })
    ).wait()
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port: inUse } = listener.address() as AddressInfo
    const other = { ip: '192.0.2.11', username: 'captain', ports: { ssh: 28_011, 80: 28_012 } }
    for (const [change, status, field] of [
      [{ server_package_id: sold.id }, 422, 'server_package_id'],
      [{ server_package_id: huge.id }, 409, null],
      [{ ip: '198.51.100.99' }, 422, 'ip'],
      [{ ip: '10.10.10.1' }, 422, 'ip'],
      [{ ports: { ssh: 28_011, 80: 28_011 } }, 422, 'ports'],
      [{ ports: { 80: 28_012 } }, 422, 'ports'],
      [{ ports: { ssh: 28_011, 80: inUse }, ip: '127.0.0.1' }, 422, 'ports'],
      [{ ports: { ssh: 28_011, ftp: 28_012 } }, 422, 'ports'],
      [{ system_id: taken.systemId }, 422, 'system_id'],
      [{ system_id: 'nothing-of-the-kind' }, 422, 'system_id'],
      // Incus rejects this change only after the old container was already changed.
      [{ system_id: stubborn }, 422, 'ports'],
    ] as [object, number, string | null][]) {
      const refused = await update({ ...other, ...change })
      const words = JSON.stringify(change)
      assert.equal(refused.status, status, words)
      if (field) assert.property(refused.json.errors, field, words)
      assert.deepEqual(await known(), before, words)
    }
    listener.close()

    const bigger = await createSmallPackage('regular', { diskGb: 2 })
    const done = await update({ ...other, server_package_id: bigger.id })
    assert.equal(done.status, 202)
    await runSteps(String(done.json.data?.operation_id))
    const after = await row.refresh()
    assert.deepEqual(
      [after.ip, after.username, after.ports, after.serverPackageId],
      ['192.0.2.11', 'captain', other.ports, bigger.id]
    )
    const { devices } = fake.state.instances.get(row.systemId!)!.instance
    assert.equal(devices['port-80'].listen, 'tcp:192.0.2.11:28012')
  })

  test('a host in maintenance gets no orders, and a host with instances cannot be removed', async ({
    assert,
  }) => {
    const admin = await signIn(await makeStaff())
    const { id, name } = host
    const on = await admin.post('/admin/host-instance/maintenance', { id, on: true })
    assert.equal(on.status, 200)
    const wanted = await createSmallPackage('shared')
    const order = {
      name: uniqueName('shop'),
      instance_type: 'shared',
      server_package_id: wanted.id,
      billing_period: 'month',
    }
    assert.equal((await customer.post('/server-instance/store', order)).status, 503)
    assert.equal((await admin.post('/admin/host-instance/delete', { id, name })).status, 409)
    const off = await admin.post('/admin/host-instance/maintenance', { id, on: false })
    assert.equal(off.status, 200)
    const checked = await admin.post('/admin/host-instance/check', { id })
    assert.equal(checked.json.data?.status, 'active')
    const token = await admin.post('/admin/host-instance/store', {
      name: uniqueName('far'),
      token: 'bm90IGEgdG9rZW4gYXQgYWxs',
    })
    assert.equal(token.status, 422)
    assert.property(token.json.errors, 'token')
  })

  test('customers see that a host is offline, and requests to its instances are rejected immediately', async ({
    assert,
    cleanup,
  }) => {
    const own = { path: fake.socketPath, at: DateTime.fromISO('2026-11-26T10:02:00+06:00') }
    const row = await instanceOf(owner, 'active', 'shared')
    const notice =
      'The host of your server instance has not responded since 10:02 AM on Nov 26. We are working on it.'
    const shown = async () => {
      const { json } = await customer.page(`/server-instance/${row.id}`)
      return (json.props as unknown as InstancePage).instance
    }
    assert.isNull((await shown()).host_notice)
    cleanup(async () => {
      await HostInstance.query()
        .where('id', host.id)
        .update({ incus_url: `unix:${own.path}` })
      assert.equal(await checkHost(await host.refresh()), 'active')
    })
    await HostInstance.query()
      .where('id', host.id)
      .update({ incus_url: 'unix:/nowhere/at.all', seen_at: own.at.toSQL()! })
    assert.equal(await checkHost(await host.refresh()), 'offline')

    const instance = await shown()
    assert.equal(instance.host_notice, notice)
    for (const action of ['start', 'stop', 'restart', 'boost'] as const) {
      assert.isFalse(instance.can[action].allowed, action)
    }
    assert.isTrue(instance.can.delete.allowed)
    const restart = await customer.post('/server-instance/restart', { id: row.id })
    assert.equal(restart.status, 409)
    assert.equal(restart.json.message, 'The host does not respond. We are working on it.')
    await assert.rejects(async () => connectToActiveInstance(await row.refresh()), notice)

    // With this warning, the host cannot limit new instances. It still responds, and its instances keep running.
    fake.state.warnings = [
      { status: 'new', type: "Couldn't find the CGroup pids controller", last_message: '' },
    ]
    cleanup(() => void (fake.state.warnings = []))
    await HostInstance.query()
      .where('id', host.id)
      .update({ incus_url: `unix:${own.path}` })
    assert.equal(await checkHost(await host.refresh()), 'offline')
    const running = await shown()
    assert.isTrue(running.host_responds)
    assert.include(
      running.host_notice,
      'has a problem, and we are working on it. Running instances'
    )
    assert.isFalse(running.can.start.allowed)
    await connectToActiveInstance(await row.refresh())
  })
})
