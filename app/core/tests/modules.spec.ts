import { allModules, findModuleLoadError, loadModulePart } from '#core/modules'
import { menuFor } from '#core/menu'
import { allSchedules } from '#core/schedules/schedules'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

const lines = (area: 'customer' | 'admin') =>
  menuFor(area).flatMap(({ label, href, entries }) =>
    href
      ? [`${label} ${href}`]
      : (entries ?? []).map((entry) => `${label} > ${entry.label} ${entry.href}`)
  )

async function filesOf(folder: 'operations' | 'schedules'): Promise<[string, string][]> {
  const found: [string, string][] = []
  for await (const file of glob(`app/*/${folder}/*.ts`, { cwd: app.makePath() })) {
    found.push([basename(dirname(dirname(file))), app.makePath(file)])
  }
  return found
}

async function definedIn(file: string): Promise<unknown[]> {
  const values = Object.values((await import(file)) as Record<string, unknown>)
  return values.flatMap((value) =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value)] : []
  )
}

const isKind = (value: unknown): value is { kind: string } =>
  typeof value === 'object' && value !== null && 'kind' in value && 'steps' in value

test.group('Modules', () => {
  test('define the specified menus of both areas, in the specified order', ({ assert }) => {
    const customer = [
      'Dashboard /',
      'VPS Servers > Instances /server-instance/list',
      'Databases > Mysql /database/mysql',
      'Databases > MongoDB /database/mongodb',
      'File Manager /file-manager',
      'Projects / Sites /project/list',
      'Vault (Storage Service) /vault/list',
      // The specification does not have this entry (docs/decisions/0084).
      'Email /email/list',
      'Billing & Payment /billing',
    ]
    const admin = [
      'Dashboard /admin',
      'VPS Servers > Instances /admin/server-instance/list',
      'Host Instances > Host Instances /admin/host-instance/list',
      'Projects > Projects /admin/project/list',
      'Email /admin/email/list',
      'Vault /admin/vault/list',
      'Live Support /admin/live-support',
      'Billing & Payments > Overview /admin/billing/overview',
      'Billing & Payments > console billing /admin/billing/list',
      'Billing & Payments > Auto Courier billing /admin/autocourier-billing/list',
      'Billing & Payments > Statements /admin/billing/statements',
      'Billing & Payments > Billing run /admin/billing/run',
      'Administration > Customers /admin/customer/list',
      'Administration > Staff /admin/staff/list',
      'Administration > Packages /admin/server-package/list',
      'Administration > Billing /admin/billing/settings',
      'Administration > Audit log /admin/audit',
      'Administration > Email templates /admin/settings/mail',
      'Administration > Alerts /admin/settings/alerts',
      'Administration > Backups /admin/backup',
      'Administration > System /admin/system',
    ]
    // Ignores other entries, because new modules may add some in between.
    assert.deepEqual(
      lines('customer').filter((line) => customer.includes(line)),
      customer
    )
    assert.deepEqual(
      lines('admin').filter((line) => admin.includes(line)),
      admin
    )
  })

  test('link only to existing routes', ({ assert }) => {
    const patterns = Object.values(router.toJSON()).flatMap((routes) =>
      routes.map(({ pattern }) => pattern)
    )
    const wanted = allModules().flatMap(({ menu, dashboard }) => [
      ...(menu?.customer ?? []),
      ...(menu?.admin ?? []),
      ...(dashboard ?? []),
    ])
    assert.isAbove(wanted.length, 15)
    assert.deepEqual(
      wanted.filter(({ href }) => !patterns.includes(href)),
      []
    )
  })

  test('have the names of their folders', async ({ assert }) => {
    const found: string[] = []
    for await (const file of glob('app/*/module.ts', { cwd: app.makePath() })) {
      found.push(basename(dirname(file)))
    }
    assert.sameMembers(
      allModules().map(({ name }) => name),
      found
    )
  })

  test('register all operation kinds that their files define', async ({ assert }) => {
    const forgotten: string[] = []
    let seen = 0
    for (const [name, file] of await filesOf('operations')) {
      const { operations = [] } = allModules().find((domain) => domain.name === name)!
      const kinds = operations.map(({ kind }) => kind)
      const defined = (await definedIn(file)).filter(isKind)
      seen += defined.length
      forgotten.push(...defined.flatMap(({ kind }) => (kinds.includes(kind) ? [] : [kind])))
    }
    assert.isAbove(seen, 10)
    assert.deepEqual(forgotten, [])
  })

  test('register all schedules that their files define', async ({ assert }) => {
    for (const [, file] of await filesOf('schedules')) await import(file)
    const listed = allModules().flatMap(({ schedules }) => schedules ?? [])
    assert.sameMembers(
      allSchedules()
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('test.')),
      listed.map(({ name }) => name)
    )
  })

  test('that throw while they load are left out in development, and stop an installation', async ({
    assert,
    cleanup,
  }) => {
    const load = () => loadModulePart('notes', () => Promise.reject(new Error('no notes today')))
    await assert.rejects(load, 'no notes today')
    process.env.DEV_MODE = 'true'
    cleanup(() => void delete process.env.DEV_MODE)
    assert.isUndefined(await load())
    const { status, message } = findModuleLoadError()!
    assert.equal(status, 500)
    assert.match(
      message,
      /^The module notes did not load: Error: no notes today \(\S+modules\.spec\.ts:\d+\)\. Other modules work\.$/
    )
  })

  test('define dashboard tiles with distinct positions, and labels of audit subjects', ({
    assert,
  }) => {
    const tiles = allModules().flatMap(({ dashboard }) => dashboard ?? [])
    assert.lengthOf(new Set(tiles.map(({ order }) => order)), tiles.length)
    const words = allModules().flatMap(({ auditSubjects }) => Object.entries(auditSubjects ?? {}))
    assert.includeDeepMembers(words, [
      ['operation', 'Operations'],
      ['person', 'People'],
      ['server_instance', 'Instances'],
    ])
  })
  test('define one message for each audited action', async ({ assert }) => {
    const said = allModules().flatMap(({ auditMessages }) => Object.keys(auditMessages ?? {}))
    assert.lengthOf(new Set(said), said.length)
    const written: string[] = []
    for await (const file of glob('app/*/**/*.ts', { cwd: app.makePath() })) {
      if (file.includes('/tests/')) continue
      const text = await readFile(app.makePath(file), 'utf8')
      const found = text.matchAll(/\b(?:action|audited): '([a-z]+\.[a-z_.-]+)'/g)
      written.push(...[...found].map(([, action]) => action))
    }
    assert.isAbove(written.length, 25)
    assert.deepEqual(
      written.filter((action) => !said.includes(action)),
      []
    )
  })
})
