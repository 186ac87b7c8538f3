import type ServerInstance from '#instances/models/server_instance'
import { Domain } from '#edge/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import Project from '#projects/models/project'
import { projectStatuses } from '#projects/statuses'
import type { InstanceChoice, ProjectView } from '#projects/transformers/page_props'
import { virtualHostValidator } from '#projects/validators/virtual_host'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { loadAllowedColumnValues } from '#tests/support/allowed_column_values'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

async function someone(instanceType: 'regular' | 'shared' = 'regular') {
  const customer = await makeCustomer()
  const instance = await makeInstance(customer, { instanceType })
  return { customer, instance, visitor: await signIn(customer) }
}

const form = (instance: ServerInstance, more: object = {}) => ({
  name: 'Shop',
  path: 'shop',
  stack: 'static',
  server_instance_id: instance.id,
  ...more,
})

const virtualHost = (more: object = {}) => ({
  type: 'static',
  url_type: 'port',
  server_admin: 'admin@example.com',
  url_port: 8080,
  ...more,
})

/** Marks the project's operations as done, because the next request would otherwise get 409. */
const settle = (project: Project) =>
  Operation.query()
    .where({ subjectType: 'project', subjectId: String(project.id) })
    .update({ status: 'done' })

test.group('Projects | requests', (group) => {
  failOnSecondConnections(group)
  test('store creates a project and starts its setup, and rejects a used path and missing fields', async ({
    assert,
  }) => {
    const { instance, visitor } = await someone()
    const made = await visitor.post('/project/store', form(instance, { path: '/shop/' }))
    assert.equal(made.status, 202)
    assert.equal(made.json.message, 'Project Shop is being set up.')
    const project = await Project.findOrFail(made.json.data!.id as number)
    assert.equal(project.path, 'shop')
    assert.equal(project.status, 'active')
    const operation = await Operation.findOrFail(made.json.data!.operation_id as string)
    assert.equal(operation.kind, 'project.set_up.static')

    const again = await visitor.post('/project/store', form(instance))
    assert.equal(again.status, 422)
    assert.deepEqual(again.json.errors, {
      path: ['Another project on this server instance already uses this path.'],
    })
    const empty = await visitor.post('/project/store', {})
    assert.equal(empty.status, 422)
    assert.sameMembers(Object.keys(empty.json.errors!), [
      'name',
      'path',
      'stack',
      'server_instance_id',
    ])

    await instance.merge({ status: 'stopped' }).save()
    const stopped = await visitor.post('/project/store', form(instance, { path: 'other' }))
    assert.equal(stopped.status, 409)
  })

  test('the list returns the fields, filters and counts that pages need', async ({ assert }) => {
    const { instance, visitor } = await someone()
    await makeProject(instance, { name: 'Alpha' })
    await makeProject(instance, { name: 'alphabet', status: 'deleted' })
    await makeProject(instance, { name: '100%' })
    await makeProject((await someone()).instance, { name: 'Alpha of others' })

    const page = await visitor.page('/project/list?page=1&length=50&status=&search=ALPH')
    assert.equal(page.json.component, 'customer/project/list')
    const props = page.json.props!
    const { projects, count, projectStatus, statusChoices } = props
    assert.deepEqual(
      (projects as Project[]).map(({ name }) => name),
      ['alphabet', 'Alpha']
    )
    assert.equal(count, 2)
    assert.deepEqual(Object.keys(projectStatus as object), [
      'active',
      'inactive',
      'suspended',
      'deleted',
    ])
    assert.deepEqual(statusChoices, ['active', 'inactive', 'deleted'])
    assert.containsSubset((projects as object[])[0], {
      server_instance: { name: instance.name, ip: '192.0.2.7' },
    })
    const json = await visitor.get('/project/list?status=deleted')
    assert.equal(json.json.data!.count, 1)
    const odd = await visitor.get('/project/list?search=100%25&page=x&length=7&status=nonsense')
    assert.equal(odd.json.data!.count, 1)
  })

  test('the list can be sorted, paged and searched by its columns', async ({ assert }) => {
    const { customer, instance, visitor } = await someone()
    const names = ['Beta', 'alpha', 'Gamma', 'delta']
    for (const name of names) await makeProject(instance, { name })
    await makeProject(instance, { name: 'Zeta', path: 'quay/number-seven' })
    const listed = async (query: string, who = visitor, prefix = '') => {
      const { json } = await who.get(`${prefix}/project/list?${query}`)
      return (json.data!.projects as { name: string }[]).map(({ name }) => name)
    }
    const sorted = ['alpha', 'Beta', 'delta', 'Gamma', 'Zeta']
    assert.deepEqual(await listed('sort=name'), sorted)
    assert.deepEqual(await listed('sort=-name'), sorted.toReversed())
    const plain = await listed('')
    for (const odd of ['sort=id;drop', 'sort=constructor', 'sort=--name', 'sort[]=name', 'sort=']) {
      assert.deepEqual(await listed(odd), plain)
    }
    assert.deepEqual(await listed('search=ber-SEV'), ['Zeta'])
    assert.lengthOf(await listed(`search=${instance.name.slice(2)}`), 5)
    assert.lengthOf(await listed('search=192.0.2.7'), 5)
    assert.deepEqual(await listed('search=%25'), [])

    const staff = await signIn(await makeStaff('support'))
    const found = await staff.get(`/admin/project/list?search=${customer.email}&sort=customer`)
    assert.equal(found.json.data!.count, 5)
    assert.containsSubset((found.json.data!.projects as object[])[0], {
      customer: { id: customer.id, email: customer.email },
    })
    assert.deepEqual(await listed(`search=${customer.email}`), [])
    assert.deepEqual(await listed('sort=customer'), plain)
    const { json } = await visitor.get('/project/list')
    assert.isNull((json.data!.projects as { customer: unknown }[])[0].customer)
  })

  test('every route responds to another customer’s project with the same 404 as to an unknown one', async ({
    assert,
  }) => {
    const owner = await someone()
    const project = await makeProject(owner.instance)
    const stranger = await someone()
    const server = owner.instance.id
    const calls: [string, (visitor: Visitor, id: number, server: number) => Promise<unknown>][] = [
      ['show', (visitor, id) => visitor.get(`/project/${id}`)],
      ['update', (visitor, id) => visitor.post('/project/update', { id, ...form(owner.instance) })],
      [
        'virtual host',
        (visitor, id) => visitor.post('/project/update', { id, virtual_host: virtualHost() }),
      ],
      [
        'status',
        (visitor, id) => visitor.post('/project/change-status', { id, status: 'deleted' }),
      ],
      [
        'store',
        (visitor, _id, at) =>
          visitor.post('/project/store', { ...form(owner.instance), server_instance_id: at }),
      ],
      ['retry', (visitor, id) => visitor.post('/project/retry', { id })],
      ['list', (visitor, _id, at) => visitor.get(`/project/pm2/list?server_instance_id=${at}`)],
      [
        'logs',
        (visitor, _id, at) => visitor.get(`/project/pm2/logs?server_instance_id=${at}&name=x`),
      ],
      [
        'start-new',
        (visitor, _id, at) => visitor.post('/project/pm2/start-new', { server_instance_id: at }),
      ],
      [
        'process-action',
        (visitor, _id, at) =>
          visitor.post('/project/pm2/process-action', { server_instance_id: at }),
      ],
    ]
    for (const [name, call] of calls) {
      const theirs = (await call(stranger.visitor, project.id, server)) as {
        status: number
        json: object
      }
      const nobodys = (await call(stranger.visitor, 999_999_999, 999_999_999)) as typeof theirs
      assert.equal(theirs.status, 404, name)
      assert.deepEqual(theirs.json, nobodys.json, name)
    }
    const after = await Project.findOrFail(project.id)
    assert.equal(after.status, 'active')
    assert.equal(
      (await new (stranger.visitor.constructor as typeof Visitor)().get('/project/list')).status,
      401
    )
  })

  test('deleted is final, and only administrators can set suspended', async ({ assert }) => {
    const { instance, visitor } = await someone()
    const project = await makeProject(instance)
    const change = (by: Visitor, status: string, area = '') =>
      by.post(`${area}/project/change-status`, { id: project.id, status })

    assert.equal((await change(visitor, 'nonsense')).status, 422)
    assert.equal((await change(visitor, 'suspended')).status, 403)
    assert.equal((await change(visitor, 'inactive')).status, 202)
    assert.equal((await change(visitor, 'active')).status, 409, 'work is under way')
    await settle(project)

    const support = await signIn(await makeStaff('support'))
    const administrator = await signIn(await makeStaff())
    assert.equal((await change(support, 'suspended', '/admin')).status, 403)
    assert.equal((await change(administrator, 'suspended', '/admin')).status, 202)
    await settle(project)
    assert.equal((await change(visitor, 'active')).status, 409)
    const page = await visitor.page(`/project/${project.id}`)
    assert.containsSubset(page.json.props!.project as object, {
      status: 'suspended',
      barred: 'This project is suspended. Ask support for the reason.',
    })
    assert.equal((await change(visitor, 'deleted')).status, 202)
    await settle(project)
    for (const status of ['active', 'deleted']) {
      assert.equal((await change(administrator, status, '/admin')).status, 409)
    }
    assert.equal(
      (await visitor.post('/project/store', form(instance, { path: project.path }))).status,
      202
    )
  })

  test('the database allows only known statuses, and only the account of the instance', async ({
    assert,
  }) => {
    assert.sameMembers(
      await loadAllowedColumnValues('projects', 'status'),
      Object.keys(projectStatuses)
    )
    const project = await makeProject(await makeInstance(await makeCustomer()))
    const { id: stranger } = await makeCustomer()
    await assert.rejects(
      () => Project.query().where('id', project.id).update({ accountId: stranger }),
      /projects_owner/
    )
  })

  test('a failed operation can be retried, even a deletion, and belongs to the customer', async ({
    assert,
  }) => {
    const { customer, instance, visitor } = await someone()
    const project = await makeProject(instance)
    const retry = () => visitor.post('/project/retry', { id: project.id })
    const offered = async () =>
      ((await visitor.get(`/project/${project.id}`)).json.data!.project as ProjectView).retry
    assert.equal((await retry()).status, 409)
    assert.isNull(await offered())

    const change = { id: project.id, status: 'deleted' }
    const asked = await visitor.post('/project/change-status', change)
    await runSteps(asked.json.data!.operation_id as string)
    assert.deepEqual(await offered(), { reason: null })
    const again = await retry()
    assert.equal(again.status, 202, again.text)
    const { kind, accountId } = await Operation.findOrFail(again.json.data!.operation_id as string)
    assert.deepEqual([kind, Number(accountId)], ['project.status', Number(customer.id)])
    assert.equal((await retry()).status, 409, 'it is being tried')

    await runSteps(again.json.data!.operation_id as string)
    await project.merge({ status: 'suspended' }).save()
    assert.equal((await retry()).status, 409)
    assert.include((await offered())!.reason, 'suspended')
  })

  test('a virtual host is validated and claims its domain, and a failed operation removes the claim', async ({
    assert,
  }) => {
    const { instance, visitor } = await someone()
    const [project, other] = [await makeProject(instance), await makeProject(instance)]
    const subdomain = `${randomUUID().slice(0, 8)}.example.com`
    const update = (id: number, more: object) =>
      visitor.post('/project/update', { id, virtual_host: virtualHost(more) })

    const refused = await update(project.id, { server_admin: 'a@b.c\nInclude x', url_port: 22 })
    assert.equal(refused.status, 422)
    assert.sameMembers(Object.keys(refused.json.errors!), ['server_admin', 'url_port'])

    assert.equal((await update(other.id, {})).status, 202)
    const taken = await update(project.id, {})
    assert.deepEqual(Object.keys(taken.json.errors!), ['url_port'])

    const asked = await update(project.id, { url_type: 'subdomain', subdomain })
    assert.equal(asked.status, 202)
    const { id: claimed } = await Domain.findByOrFail('subdomain', subdomain)
    const proof = { provenBy: 'address', provenAt: new Date() }
    await Domain.query().where('id', claimed).update(proof)
    const stranger = await someone()
    const theirs = await makeProject(stranger.instance)
    const hijack = await stranger.visitor.post('/project/update', {
      id: theirs.id,
      virtual_host: virtualHost({ url_type: 'subdomain', subdomain }),
    })
    assert.match(hijack.json.errors!.subdomain[0], /is used by another account\. .* TXT record/)

    // No machine exists, so the operation fails. It must report the reason and restore the previous state.
    await runSteps(asked.json.data!.operation_id as string)
    await project.refresh()
    assert.isNull(project.virtualHost)
    assert.isNull(project.siteFile)
    assert.isNotEmpty(project.siteError)
    assert.notExists(await Domain.findBy('subdomain', subdomain))
  })

  test('a shared instance rejects virtual hosts by port, and the page already shows the reason', async ({
    assert,
  }) => {
    const { instance, visitor } = await someone('shared')
    const project = await makeProject(instance)
    const seen = async () =>
      (await visitor.get(`/project/${project.id}`)).json.data!.project as ProjectView
    const words = 'A shared instance has no ports of its own. Give the project a domain.'
    assert.equal((await seen()).port_barred, words)
    for (const type of ['static', 'reverse_proxy']) {
      const host = virtualHost({ type, reverse_proxy_port: 3000 })
      const refused = await visitor.post('/project/update', { id: project.id, virtual_host: host })
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.json.errors, { url_type: [words] })
    }
    const regular = await someone()
    const other = await makeProject(regular.instance)
    const { json } = await regular.visitor.get(`/project/${other.id}`)
    assert.isNull((json.data!.project as ProjectView).port_barred)
  })

  test('one port of an instance can serve only one project', async ({ assert }) => {
    const { instance, visitor } = await someone()
    const host = await virtualHostValidator.validate(
      virtualHost({ type: 'reverse_proxy', reverse_proxy_port: 3000 })
    )
    const first = await makeProject(instance, { virtualHost: host })
    const second = await makeProject(instance)
    const ask = (more: object) =>
      visitor.post('/project/update', { id: second.id, virtual_host: virtualHost(more) })
    const app = { type: 'reverse_proxy', reverse_proxy_port: 3000 }
    assert.deepEqual(Object.keys((await ask(app)).json.errors!), ['reverse_proxy_port'])
    assert.deepEqual(Object.keys((await ask({ url_port: 3000 })).json.errors!), ['url_port'])
    await first.merge({ status: 'deleted' }).save()
    assert.equal((await ask(app)).status, 202)
  })

  test('the list and the page show the addresses of a project', async ({ assert }) => {
    const { instance, visitor } = await someone()
    await instance.merge({ ports: { 3000: 21_500 } }).save()
    const subdomain = `${randomUUID().slice(0, 8)}.example.com`
    const host = (more: object) => virtualHostValidator.validate(virtualHost(more))
    const byPort = await makeProject(instance, {
      name: 'By port',
      virtualHost: await host({ type: 'reverse_proxy', reverse_proxy_port: 3000 }),
    })
    const named = await makeProject(instance, {
      name: 'By name',
      virtualHost: await host({ url_type: 'subdomain', subdomain }),
    })
    const { id: serverInstanceId, accountId } = instance
    await Domain.create({ serverInstanceId, accountId, subdomain, status: 'pending' })
    const bare = await makeProject(instance, { name: 'Bare' })
    const expected = new Map([
      [byPort.id, [{ url: 'http://192.0.2.7:21500', status: null }]],
      [named.id, [{ url: `http://${subdomain}`, status: 'pending' }]],
      [bare.id, []],
    ])
    const list = (await visitor.get('/project/list')).json.data!.projects as ProjectView[]
    for (const [id, addresses] of expected) {
      assert.deepEqual(list.find((row) => String(row.id) === String(id))!.addresses, addresses)
      const { json } = await visitor.get(`/project/${id}`)
      assert.deepEqual((json.data!.project as ProjectView).addresses, addresses)
    }
    await byPort.merge({ status: 'deleted' }).save()
    const { json } = await visitor.get(`/project/${byPort.id}`)
    assert.deepEqual((json.data!.project as ProjectView).addresses, [])
  })

  test('a stack with a database server on a shared instance causes a warning, not an error', async ({
    assert,
  }) => {
    const { instance, visitor } = await someone('shared')
    const { json } = await visitor.get('/project/list')
    const [choice] = json.data!.serverInstances as InstanceChoice[]
    assert.match(choice.warnings.wordpress, /Do not install one on a shared instance/)
    assert.deepEqual(Object.keys(choice.warnings), ['wordpress'])
    const made = await visitor.post('/project/store', form(instance, { stack: 'wordpress' }))
    assert.equal(made.status, 202)
    assert.equal(made.json.data!.warning, choice.warnings.wordpress)
    assert.equal(made.json.message, `Project Shop is being set up. ${choice.warnings.wordpress}`)
    const regular = await someone()
    const quiet = await regular.visitor.post(
      '/project/store',
      form(regular.instance, { stack: 'wordpress' })
    )
    assert.equal(quiet.json.message, 'Project Shop is being set up.')
    assert.notProperty(quiet.json.data!, 'warning')
  })

  test('update cannot move a project to another instance, and the page contains no secrets', async ({
    assert,
  }) => {
    const { customer, instance, visitor } = await someone()
    await instance.merge({ sshKey: 'the private key', systemId: `sys-${randomUUID()}` }).save()
    const project = await makeProject(instance)
    const second = await makeInstance(customer)
    const moved = await visitor.post('/project/update', { id: project.id, ...form(second) })
    assert.deepEqual(Object.keys(moved.json.errors!), ['server_instance_id'])
    const { path } = project
    const renamed = await visitor.post('/project/update', {
      id: project.id,
      ...form(instance, { name: 'Renamed', path }),
    })
    assert.equal(renamed.status, 200)
    await project.refresh()
    assert.equal(project.name, 'Renamed')

    const page = await visitor.page(`/project/${project.id}`)
    assert.equal(page.json.component, 'customer/project/details')
    assert.notInclude(page.text, 'the private key')
    assert.notInclude(page.text, instance.systemId!)
    const staff = await signIn(await makeStaff('support'))
    const theirs = await staff.page(`/admin/project/${project.id}`)
    assert.equal(theirs.json.component, 'admin/project/details')
    assert.notInclude(theirs.text, 'the private key')
    assert.equal((await staff.page('/admin/project/list')).json.component, 'admin/project/list')
  })
})
