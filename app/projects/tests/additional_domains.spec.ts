import { Domain, setDomainRoutes } from '#edge/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type Project from '#projects/models/project'
import type { ProjectView } from '#projects/transformers/page_props'
import { restoreDomainRoutes } from '#projects/virtual_host/domain_routes'
import { renderSite } from '#projects/virtual_host/render_site'
import { virtualHostValidator } from '#projects/validators/virtual_host'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { errors } from '@vinejs/vine'
import { randomUUID } from 'node:crypto'

const fields = (more: object) => ({
  type: 'static',
  url_type: 'subdomain',
  server_admin: 'admin@example.com',
  subdomain: 'example.com',
  ...more,
})

const serves = (name: string) => ({ name, use: 'serve' })
const redirects = (name: string) => ({ name, use: 'redirect' })

async function errorsOf(host: object): Promise<Record<string, string>> {
  try {
    await virtualHostValidator.validate(host)
    return {}
  } catch (error) {
    if (!(error instanceof errors.E_VALIDATION_ERROR)) throw error
    const messages = error.messages as { field: string; message: string }[]
    return Object.fromEntries(messages.map(({ field, message }) => [field, message]))
  }
}

test.group('Projects | additional domains of a site', () => {
  test('Apache serves each domain, also one that the edge redirects', async ({ assert }) => {
    const virtualHost = await virtualHostValidator.validate(
      fields({ other_names: [redirects('WWW.Example.com.'), serves('shop.example.com')] })
    )
    const text = renderSite({ id: 7, path: 'shop', stack: 'static', virtualHost })
    const alias = '  ServerAlias www.example.com shop.example.com\n'
    assert.include(text, `  ServerName example.com\n${alias}`)
    assert.equal(text.split(alias).length, 3, 'once for HTTP and once for TLS')
    const [other] = virtualHost.other_names!
    const evil = { ...virtualHost, other_names: [{ ...other, name: 'a.com\nInclude x' }] }
    assert.throws(
      () => renderSite({ id: 7, path: 'shop', stack: 'static', virtualHost: evil }),
      /is not allowed in/
    )
  })

  test('a domain that is invalid, repeated or the primary domain gets an error at its field', async ({
    assert,
  }) => {
    const names = ['EXAMPLE.com', 'www.example.com', 'WWW.example.com', 'a.com b.com', '']
    const found = await errorsOf(fields({ other_names: names.map(serves) }))
    assert.deepEqual(Object.keys(found), [
      'other_names.0.name',
      'other_names.2.name',
      'other_names.3.name',
      'other_names.4.name',
    ])
    assert.equal(found['other_names.0.name'], 'example.com is already the primary domain.')
    assert.equal(found['other_names.2.name'], 'www.example.com is already in the list.')
    const odd = { name: 'www.example.com', use: 'proxy' }
    assert.deepEqual(await errorsOf(fields({ other_names: [odd] })), {
      'other_names.0.use': 'Choose whether the domain serves the site or redirects.',
    })
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => serves(`${one}.example.com`))
    assert.deepEqual(await errorsOf(fields({ other_names: many })), {
      other_names: 'A site can have at most 5 additional domains.',
    })
    const byPort = fields({ url_type: 'port', url_port: 8080, other_names: many })
    assert.notProperty(await virtualHostValidator.validate(byPort), 'other_names')
  })

  async function someone(instanceType: 'regular' | 'shared' = 'regular') {
    const customer = await makeCustomer()
    const instance = await makeInstance(customer, { instanceType })
    const visitor = await signIn(customer)
    return { customer, instance, visitor, project: await makeProject(instance) }
  }

  const save = (visitor: Visitor, { id }: Project, more: object) =>
    visitor.post('/project/update', { id, virtual_host: fields(more) })

  /** Marks the project's operations as done. No machine exists that could run them. */
  const settle = ({ id }: Project) =>
    Operation.query()
      .where({ subjectType: 'project', subjectId: String(id) })
      .update({ status: 'done' })

  const randomName = () => `${randomUUID().slice(0, 8)}.example.com`

  test('each domain is claimed like the primary one, and a domain of another project or customer is rejected', async ({
    assert,
  }) => {
    const { instance, visitor, project } = await someone()
    const second = await makeProject(instance)
    const [main, www] = [randomName(), randomName()]
    const wanted = { subdomain: main, other_names: [redirects(www)] }
    assert.equal((await save(visitor, project, wanted)).status, 202)
    const claims = await Domain.query().whereIn('subdomain', [main, www])
    assert.lengthOf(claims, 2)
    for (const { projectId } of claims) assert.equal(projectId, project.id)
    await settle(project)

    const taken = 'Another project on this server instance already uses this domain.'
    const [ownMain, ownOther] = [randomName(), randomName()]
    for (const name of [main, www]) {
      const asMain = await save(visitor, second, { subdomain: name })
      assert.deepEqual(asMain.json.errors, { subdomain: [taken] })
      const asOther = await save(visitor, second, {
        subdomain: ownMain,
        other_names: [serves(ownOther), serves(name)],
      })
      assert.deepEqual(asOther.json.errors, { 'other_names.1.name': [taken] })
    }
    assert.lengthOf(await Domain.query().whereIn('subdomain', [ownMain, ownOther]), 0)
    for (const { projectId } of await Domain.query().whereIn('subdomain', [main, www]))
      assert.equal(projectId, project.id)

    const proof = { provenBy: 'address', provenAt: new Date() }
    await Domain.query().where('subdomain', www).update(proof)
    const stranger = await someone()
    const hijack = await save(stranger.visitor, stranger.project, {
      subdomain: randomName(),
      other_names: [serves(www)],
    })
    assert.match(hijack.json.errors!['other_names.0.name'][0], /is used by another account\./)
  })

  test('if two projects add one domain at the same time, only one gets it', async ({ assert }) => {
    const { instance, visitor, project } = await someone()
    const second = await makeProject(instance)
    const name = randomName()
    const answers = await Promise.all(
      [project, second].map((one) =>
        save(visitor, one, { subdomain: randomName(), other_names: [serves(name)] })
      )
    )
    assert.sameMembers(
      answers.map(({ status }) => status),
      [202, 422]
    )
    const winner = answers[0].status === 202 ? project : second
    assert.equal((await Domain.findByOrFail('subdomain', name)).projectId, winner.id)
  })

  test('a failed change removes only the claims that it added', async ({ assert }) => {
    const { visitor, project } = await someone()
    const [main, www, added] = [randomName(), randomName(), randomName()]
    await save(visitor, project, { subdomain: main, other_names: [redirects(www)] })
    await settle(project)
    const asked = await save(visitor, project, { subdomain: www, other_names: [serves(added)] })
    // No machine exists, so the operation fails.
    await runSteps(asked.json.data!.operation_id as string)
    await project.refresh()
    assert.equal(project.virtualHost!.subdomain, main)
    const left = await Domain.query().whereIn('subdomain', [main, www, added]).orderBy('id')
    assert.sameMembers(
      left.map(({ subdomain }) => subdomain),
      [main, www]
    )
  })

  test('a domain that was removed from the instance’s domain list and added again redirects again', async ({
    assert,
  }) => {
    const { instance, visitor, project } = await someone('shared')
    const [main, www, shop] = [randomName(), randomName(), randomName()]
    const other_names = [redirects(www), serves(shop)]
    await save(visitor, project, { subdomain: main, other_names, https_redirect: false })
    await settle(project)
    await project.refresh()
    await project.merge({ status: 'active', siteFile: `${main}.conf` }).save()
    const list = async (domains: string[]) => {
      const answer = await visitor.post('/server-instance/update', {
        id: instance.id,
        domains: domains.map((subdomain) => ({ subdomain })),
      })
      assert.equal(answer.status, 200, answer.text)
    }
    await list([shop])
    await list([main, www, shop])
    const rows = await Domain.query().where('serverInstanceId', instance.id).orderBy('subdomain')
    const routes = rows.map((row) => [row.subdomain, row.redirectTo, row.keepsHttp, row.projectId])
    assert.sameDeepMembers(routes, [
      [main, null, true, project.id],
      [www, main, true, project.id],
      [shop, null, true, project.id],
    ])
  })

  /** Waits until at least `count` database connections wait for a lock. */
  const blocked = (count: number) =>
    eventually(async () => {
      const { rows } = await db.rawQuery(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`
      )
      if (rows.length < count) throw new Error(`${rows.length} connections wait for a lock.`)
    })

  /** Starts two changes while another transaction holds the lock of the domain name. Returns when both are done. */
  async function raceForDomains(name: string, first: () => unknown, second: () => unknown) {
    const holder = await db.transaction()
    const running: unknown[] = []
    try {
      await Domain.query({ client: holder }).where('subdomain', name).forUpdate()
      running.push(first())
      await blocked(1)
      running.push(second())
      await blocked(2)
    } finally {
      await holder.rollback()
    }
    await Promise.all(running)
  }

  test('restoring routes while the site is set up does not deadlock', async ({ assert }) => {
    const { instance, visitor, project } = await someone()
    const id = randomUUID().slice(0, 8)
    const [other, main] = [`a-${id}.example.com`, `z-${id}.example.com`]
    await save(visitor, project, { subdomain: main, other_names: [redirects(other)] })
    await settle(project)
    await project.refresh()
    await project.merge({ status: 'inactive', siteFile: `${main}.conf` }).save()
    const routes = { main, served: [], redirected: [other], keepsHttp: false, tlsPort: null }
    await raceForDomains(
      main,
      () => setDomainRoutes(project, routes),
      () => db.transaction((trx) => restoreDomainRoutes(instance, [other], trx))
    )
    assert.isNull((await Domain.findByOrFail('subdomain', other)).redirectTo)
  })

  test('saving the domain list while the site is set up does not deadlock', async ({ assert }) => {
    const { instance, visitor, project } = await someone('shared')
    const id = randomUUID().slice(0, 8)
    const [main, ...others] = ['m', 'n', 'o', 'z'].map((one) => `${one}-${id}.example.com`)
    await save(visitor, project, { subdomain: main, other_names: others.map(serves) })
    await settle(project)
    await project.refresh()
    await project.merge({ status: 'active', siteFile: `${main}.conf` }).save()
    const [kept, added, removed] = others
    await Domain.query().where('subdomain', added).delete()
    const list = async () => {
      const domains = [main, kept, added].map((subdomain) => ({ subdomain }))
      const answer = await visitor.post('/server-instance/update', { id: instance.id, domains })
      assert.equal(answer.status, 200, answer.text)
    }
    const routes = { main, served: others, redirected: [], keepsHttp: false, tlsPort: null }
    await raceForDomains(kept, () => setDomainRoutes(project, routes), list)
    assert.isNull(await Domain.findBy('subdomain', removed))
  })

  test('the project page shows how each domain is used and which one is missing', async ({
    assert,
  }) => {
    const { visitor, project } = await someone()
    const [main, www, shop] = [randomName(), randomName(), randomName()]
    const other = [redirects(www), serves(shop)]
    await save(visitor, project, { subdomain: main, other_names: other, https_redirect: false })
    await settle(project)
    const seen = async () =>
      (await visitor.get(`/project/${project.id}`)).json.data!.project as ProjectView
    const { addresses, virtual_host: host, other_domains: others } = await seen()
    assert.isFalse(host!.https_redirect)
    assert.deepEqual(
      addresses.map(({ url }) => url),
      [`http://${main}`, `http://${shop}`]
    )
    assert.deepEqual(
      others.map(({ name, use, domain }) => [name, use, domain?.proof_record.name]),
      [
        [www, 'redirect', `_berth.${www}`],
        [shop, 'serve', `_berth.${shop}`],
      ]
    )
    await Domain.query().where('subdomain', www).delete()
    assert.isNull((await seen()).other_domains[0].domain)
    await project.refresh()
    await project.merge({ status: 'deleted' }).save()
    assert.isEmpty((await seen()).other_domains)
  })
})
