import Domain from '#edge/models/domain'
import { serveDomains } from '#edge/serve_domains'
import { resetServedState } from '#edge/served_state'
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { eventually } from '#tests/support/eventually'
import { retireHosts, createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a project row by SQL, because this module must not import the projects module. */
async function projectId({ id, accountId }: ServerInstance): Promise<number> {
  const row = { account_id: accountId, server_instance_id: id, status: 'active', stack: 'static' }
  const name = uniqueName('site')
  const [project] = await db
    .insertQuery<{ id: number }>()
    .table('projects')
    .insert({ ...row, name, path: name })
    .returning('id')
  return project.id
}

interface CaddyRoute {
  match?: [{ host: string[] }]
  handle: [{ headers?: { Location?: string[] } }]
}

test.group('Edge of this machine', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-edge-'))
    const before = env.get('EDGE_ADMIN')
    env.set('EDGE_ADMIN' as never, `unix/${join(folder, 'admin.sock')}` as never)
    return async () => {
      env.set('EDGE_ADMIN' as never, before as never)
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('without a running Caddy, serving domains succeeds and does nothing', async () => {
    await serveDomains()
  })

  test('serving domains fails if Caddy rejects the configuration', async ({ assert, cleanup }) => {
    const server = createServer((_, response) => response.writeHead(400).end('{"error":"no"}'))
    server.listen(join(folder, 'admin.sock'))
    await once(server, 'listening')
    cleanup(() => void server.close())
    await assert.rejects(() => serveDomains(), /no/)
  })

  /** Starts a fake Caddy that accepts every configuration. `told`: received configurations, latest last. */
  async function listening() {
    const told: string[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const isLoad = request.method === 'POST'
        if (isLoad) told.push(Buffer.concat(chunks).toString())
        const version = request.url!.split('/')[2]
        response.writeHead(isLoad || told.at(-1)?.includes(version) ? 200 : 404).end('{}')
      })
    })
    server.listen(join(folder, 'admin.sock'))
    await once(server, 'listening')
    return { told, stop: () => void server.close() }
  }

  async function site() {
    const host = await HostInstance.create({
      name: uniqueName('edge'),
      ip: '192.0.2.9',
      status: 'offline',
      provider: 'test',
      isLocal: true,
      incusUrl: 'unix:/nowhere',
      sshPort: 22,
      specifications: {},
    })
    const accountId = (await makeCustomer()).id
    const { id: serverPackageId } = await createSmallPackage('shared')
    const instance = await ServerInstance.create({
      accountId,
      serverPackageId,
      hostInstanceId: host.id,
      name: uniqueName('edge'),
      ports: {},
      instanceType: 'shared',
      billingPeriod: 'month',
      status: 'active',
      privateIp: '10.10.10.77',
    })
    const subdomain = `${uniqueName('shop')}.example.com`
    const domain = await Domain.create({
      serverInstanceId: instance.id,
      accountId,
      subdomain,
      status: 'active',
      innerPort: 80,
      provenBy: 'address',
      provenAt: DateTime.utc(),
      wantsCertificate: true,
      attempts: 0,
      checkAt: DateTime.utc().plus({ days: 1 }),
    })
    return { host, accountId, instance, subdomain, domain }
  }

  test('a domain with an unsafe name or address is left out, and all others are served', async ({
    assert,
    cleanup,
  }) => {
    const { told, stop } = await listening()
    const [good, bad] = [await site(), await site()]
    cleanup(async () => {
      await retireHosts(good.host, bad.host)
      stop()
    })
    const evil = [
      () => bad.instance.merge({ privateIp: `unix/${join(folder, 'admin.sock')}` }).save(),
      () => bad.instance.merge({ privateIp: '{http.request.header.to}' }).save(),
      async () => {
        await bad.instance.merge({ privateIp: '10.10.10.78' }).save()
        await bad.domain.merge({ subdomain: `{http.request.host}.${bad.subdomain}` }).save()
      },
    ]
    for (const change of evil) {
      await change()
      resetServedState()
      await serveDomains()
      assert.include(told.at(-1), good.subdomain)
      assert.notInclude(told.at(-1), bad.subdomain)
    }
  })

  test('all domains are read again only after a change, or after Caddy restarted', async ({
    assert,
    cleanup,
  }) => {
    const { told, stop } = await listening()
    const { host, accountId, instance, subdomain, domain } = await site()
    const from = db.from.bind(db)
    let reads = 0
    db.from = (table) => {
      if (table === Domain.table) reads++
      return from(table)
    }
    cleanup(async () => {
      db.from = from
      await retireHosts(host)
      stop()
    })
    await serveDomains()
    assert.include(told.at(-1), subdomain)
    // Retried, because other tests change domains too, and their notifications may arrive late.
    await eventually(async () => {
      const before = reads
      await serveDomains()
      assert.equal(reads, before)
    })
    const quiet = told.length
    await serveDomains()
    assert.lengthOf(told, quiet)
    for (const change of [
      () => domain.merge({ innerPort: 8_080 }).save(),
      () => domain.merge({ tlsPort: 943 }).save(),
      () => instance.merge({ privateIp: '10.10.10.78' }).save(),
      () => instance.merge({ status: 'stopped' }).save(),
    ]) {
      const before = told.length
      await change()
      await eventually(async () => {
        await serveDomains()
        assert.isAbove(told.length, before)
      })
    }
    assert.isTrue(told.some((text) => text.includes('10.10.10.78:943')))
    assert.notInclude(told.at(-1), subdomain)
    // Adds more domains than one page of the database query contains.
    cleanup(async () => void (await Domain.query().where('serverInstanceId', instance.id).delete()))
    await instance.merge({ status: 'active' }).save()
    await db.rawQuery(
      `insert into domains (server_instance_id, account_id, subdomain, status, proven_by, proven_at,
         wants_certificate, served_at, check_at)
       select ?, ?, number || '.' || ?, 'active', 'address', now(), true, now(),
         now() + interval '1 day'
       from generate_series(1, 5100) as number`,
      [instance.id, accountId, subdomain]
    )
    await eventually(async () => {
      await serveDomains()
      const config = JSON.parse(told.at(-1)!)
      const [{ subjects }] = config.apps.tls.automation.policies
      const mine = (subjects as string[]).filter((name) => name.endsWith(`.${subdomain}`))
      assert.lengthOf(mine, 5_100)
      assert.lengthOf(new Set(mine), 5_100)
    })
    await instance.merge({ status: 'stopped' }).save()
    await eventually(async () => {
      await serveDomains()
      assert.notInclude(told.at(-1), subdomain)
    })
    // Simulates a restarted Caddy, which has no configuration.
    told.length = 0
    await serveDomains()
    assert.lengthOf(told, 1)
  })

  test('a domain redirects only to the primary domain of its own project, once HTTPS works there', async ({
    assert,
    cleanup,
  }) => {
    const { told, stop } = await listening()
    const { host, instance, subdomain, domain } = await site()
    cleanup(async () => {
      await retireHosts(host)
      stop()
    })
    const [project, stranger] = [await projectId(instance), await projectId(instance)]
    const www = `www.${subdomain}`
    await domain.merge({ projectId: project }).save()
    const other = await Domain.create({
      serverInstanceId: instance.id,
      accountId: instance.accountId,
      projectId: project,
      subdomain: www,
      redirectTo: subdomain,
      status: 'active',
      provenBy: 'address',
      provenAt: DateTime.utc(),
      wantsCertificate: true,
      checkAt: DateTime.utc().plus({ days: 1 }),
    })
    const locations = async () => {
      resetServedState()
      await serveDomains()
      const { servers } = JSON.parse(told.at(-1)!).apps.http
      const routes = [...servers.berth.routes, ...servers.plain.routes] as CaddyRoute[]
      return routes.flatMap(({ match, handle: [{ headers }] }) =>
        match?.[0].host[0] === www ? (headers?.Location ?? ['served']) : []
      )
    }
    const httpsPort = env.get('EDGE_HTTPS_PORT', 443)
    const address = `https://${subdomain}${httpsPort === 443 ? '' : `:${httpsPort}`}`
    const redirected = [`${address}{http.request.uri}`, `${address}{http.request.uri}`]
    assert.deepEqual(await locations(), redirected)
    // `served` stands for a route that answers with the site instead of a redirect.
    const isServed = async (why: string) => assert.include(await locations(), 'served', why)
    await domain.merge({ status: 'pending' }).save()
    await isServed('the certificate of the primary domain is missing')
    await domain.merge({ status: 'active', projectId: stranger }).save()
    await isServed('the primary domain belongs to another project')
    await domain.merge({ projectId: project, redirectTo: www }).save()
    await isServed('the primary domain redirects back')
    await domain.merge({ redirectTo: null }).save()
    assert.deepEqual(await locations(), redirected)
    await assert.rejects(() => other.merge({ redirectTo: www }).save(), /domains_redirect_check/)
  })
})
