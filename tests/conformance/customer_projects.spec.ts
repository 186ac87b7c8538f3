/// <reference lib="dom" />
import Operation from '#core/models/operation'
import type { ServerInstance } from '#instances/public'
import { Project } from '#projects/public'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { waitForToast, visit } from '#tests/support/browser'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, signIn } from '#tests/support/people'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const LIST_PATH = '/project/list'

test.group('Project list', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let instance: ServerInstance
  let shop: Project
  let gone: Project

  group.setup(async () => {
    instance = await makeInstance(stage.person, { instanceType: 'regular' })
    shop = await makeProject(instance, { name: uniqueName('shop'), stack: 'php' })
    gone = await makeProject(instance, { name: uniqueName('gone'), status: 'deleted' })
    await visit(stage.page, LIST_PATH)
  })
  group.each.setup(async () => {
    // Clears sessionStorage, because the list would restore its last state from it.
    await stage.page.evaluate(() => sessionStorage.clear())
    await visit(stage.page, LIST_PATH)
  })
  const row = ({ name }: Project) => stage.page.getByRole('row').filter({ hasText: name })

  proves(['C2.41', 'C2.42', 'C3.6', 'C7.26'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    const asked = await visitor.page(`${LIST_PATH}?page=1&length=100&status=active&search=shop-`)
    const props = asked.json.props!
    assert.deepEqual([props.page, props.length, props.count], [1, 100, 1])
    const [found] = props.projects as Record<string, unknown>[]
    assert.equal(found.id, shop.id)
    const [choice] = props.serverInstances as Record<string, unknown>[]
    assert.equal(choice.id, instance.id)
    assert.equal((props.projectStacks as Record<string, string>).php, 'PHP')
    const labels = Object.values(props.projectStatus as Record<string, string>)
    const filters = page.getByRole('group', { name: 'Filter by status' })
    for (const label of [...labels, 'All Projects']) {
      await filters.getByRole('button', { name: new RegExp(`^${label}`) }).waitFor()
    }
    await filters.getByRole('button', { name: 'Deleted' }).click()
    await row(shop).waitFor({ state: 'detached' })
    await row(gone).waitFor()
    await filters.getByRole('button', { name: 'All Projects' }).click()
    await row(shop).waitFor()
    const sizes = page.getByRole('combobox').filter({ hasText: '250' })
    const call = page.waitForRequest((one) => one.url().includes('length=250'))
    await sizes.selectOption('250')
    await call
    await page.getByRole('textbox', { name: /^Search/ }).fill(shop.name)
    await row(gone).waitFor({ state: 'detached' })
    await row(shop).waitFor()
  })

  proves(['C2.43', 'C3.3'], async () => {
    const { page, person } = stage
    await row(shop).waitFor()
    const heads = (await page.getByRole('columnheader').allInnerTexts()).map((one) =>
      one.replace(/[^\w ]/g, '').trim()
    )
    const wanted = ['Name', 'App Stack', 'Server', 'Path', 'Status', 'Action']
    assert.deepEqual(
      heads.filter((head) => wanted.includes(head)),
      wanted
    )
    const words = await row(shop).innerText()
    for (const part of [shop.name, 'PHP', instance.name, '192.0.2.7', shop.path, 'Active']) {
      assert.ok(words.includes(part), `${part}: ${words}`)
    }
    const { json } = await (await signIn(person)).page(LIST_PATH)
    const rows = json.props!.projects as Record<string, unknown>[]
    const {
      id,
      name,
      path,
      stack,
      status,
      server_instance_id: on,
    } = rows.find((one) => one.id === shop.id)!
    assert.deepEqual(
      [id, name, path, stack, status, on],
      [shop.id, shop.name, shop.path, 'php', 'active', instance.id]
    )
  })

  proves(['C2.45', 'C3.27'], async () => {
    const { page } = stage
    await page.getByRole('textbox', { name: /^Search/ }).fill('gone-')
    await row(shop).waitFor({ state: 'detached' })
    await page
      .getByRole('group', { name: 'Filter by status' })
      .getByRole('button', { name: 'Deleted' })
      .click()
    await row(gone).waitFor()
    await page.waitForURL(/status=deleted/)
    const saved = await page.waitForFunction(() => {
      const text = sessionStorage.getItem('project-pagination')
      return text?.includes('deleted') ? (JSON.parse(text) as Record<string, unknown>) : null
    })
    const { page: number, length, status, searchText } = (await saved.jsonValue())!
    assert.deepEqual([number, length, status, searchText], [1, 50, 'deleted', 'gone-'])
    await page.getByRole('link', { name: 'Vault (Storage Service)' }).first().click()
    await page.waitForURL('**/vault/list')
    await page.getByRole('link', { name: 'Projects / Sites' }).first().click()
    await row(gone).waitFor()
    const search = page.getByRole('textbox', { name: /^Search/ })
    await eventually(async () => assert.equal(await search.inputValue(), 'gone-'))
  })

  proves('C9.14', async () => {
    const { page } = stage
    const other = await makeInstance(stage.person, { name: uniqueName('many') })
    for (let each = 0; each < 255; each++) await makeProject(other, { status: 'inactive' })
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await visit(page, `${LIST_PATH}?length=100`)
    assert.doesNotMatch(await pages.innerText(), /…/)
    await visit(page, `${LIST_PATH}?length=50`)
    assert.match(await pages.innerText(), /…/)
    assert.ok((await pages.getByRole('button', { name: /^Page / }).count()) < 6)
    await Project.query().where('serverInstanceId', other.id).delete()
  })

  proves('C4.4', async () => {
    const cell = row(gone).getByText(gone.name).first()
    const look = await cell.evaluate((element) => {
      for (let one: Element | null = element; one; one = one.parentElement) {
        const { textDecorationLine, color } = getComputedStyle(one)
        if (textDecorationLine.includes('line-through')) return color
      }
      return null
    })
    const [, red, green, blue] = /rgb\((\d+), (\d+), (\d+)/.exec(look ?? '') ?? []
    assert.ok(Number(red) > 2 * Number(green) && Number(red) > 2 * Number(blue), String(look))
    assert.equal(await stage.page.getByLabel(`Status of ${gone.name}`).count(), 0)
    await stage.page.getByLabel(`Status of ${shop.name}`).waitFor()
  })

  proves(['C2.44', 'C4.5', 'C5.2', 'C7.24', 'C7.27', 'C9.16'], async () => {
    const { page } = stage
    const call = page.waitForRequest('**/project/change-status')
    await page.getByLabel(`Status of ${shop.name}`).click()
    await page.getByRole('menuitem', { name: 'Inactive' }).click()
    assert.deepEqual((await call).postDataJSON(), { id: shop.id, status: 'inactive' })
    await waitForToast(page, 'Project status changed.')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    for (const label of ['Server Instance', 'App Stack', 'Name', 'Path']) {
      assert.equal(await form.getByLabel(label).getAttribute('required'), '', label)
    }
    await form.getByLabel('Server Instance').selectOption(String(instance.id))
    await form.getByLabel('App Stack').selectOption('static')
    const name = uniqueName('made')
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Path').fill(name)
    const store = page.waitForRequest('**/project/store')
    await form.getByRole('button', { name: 'Create project' }).click()
    const { server_instance_id: on, ...sent } = (await store).postDataJSON() as Record<
      string,
      unknown
    >
    assert.deepEqual([sent, on], [{ name, path: name, stack: 'static' }, instance.id])
    await page.getByRole('link', { name, exact: true }).waitFor()
  })
})

test.group('Project detail', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let instance: ServerInstance
  let plain: Project
  let app: Project

  group.setup(async () => {
    const ports = { ssh: 20_001 }
    const more = { instanceType: 'regular' as const, username: 'berth', ports }
    instance = await makeInstance(stage.person, more)
    plain = await makeProject(instance, { name: uniqueName('plain'), stack: 'static' })
    app = await makeProject(instance, { name: uniqueName('app'), stack: 'node' })
  })
  const open = ({ id }: Project, tab = '') =>
    visit(stage.page, `/project/${id}${tab && `?tab=${tab}`}`)
  const tabs = async () =>
    (await stage.page.getByRole('tab').allInnerTexts()).map((one) => one.trim())

  proves(['C2.46', 'C2.47', 'C2.48', 'C2.50'], async () => {
    const { page } = stage
    await open(plain)
    assert.deepEqual(await tabs(), ['Details', 'VH Setup', 'Terminal', 'Logs'])
    await open(app)
    assert.deepEqual(await tabs(), ['Details', 'VH Setup', 'Terminal', 'Node Process', 'Logs'])
    const link = page.getByRole('main').getByRole('link', { name: 'File Manager' })
    assert.equal(await link.getAttribute('target'), '_blank')
    const address = new URL((await link.getAttribute('href'))!, 'http://here')
    assert.deepEqual(
      [address.pathname, address.searchParams.get('path')?.replace(/^\//, '')],
      ['/file-manager', app.path]
    )
    // The instance does not respond. The Git button is then disabled and gives the reason.
    await page.getByRole('button', { name: 'Git', exact: true }).waitFor()
  })

  proves(['C3.4', 'C3.5', 'C7.28'], async () => {
    const virtualHost = {
      type: 'static',
      url_type: 'port',
      server_admin: 'admin@example.com',
      entry_point: 'public',
      url_port: 8080,
    } as Project['virtualHost']
    const project = await makeProject(instance, { virtualHost })
    const { json } = await (await signIn(stage.person)).page(`/project/${project.id}`)
    assert.equal(json.component, 'customer/project/details')
    const shown = json.props!.project as Record<string, Record<string, unknown>>
    const { name, ip, instance_type: type, ports, username } = shown.server_instance
    assert.deepEqual(
      [name, ip, type, ports, username],
      [instance.name, '192.0.2.7', 'regular', { ssh: 20_001 }, 'berth']
    )
    const host = shown.virtual_host
    assert.deepEqual(
      [host.type, host.url_type, host.server_admin, host.entry_point, host.url_port],
      ['static', 'port', 'admin@example.com', 'public', 8080]
    )
  })

  proves(['C2.49', 'C7.25'], async () => {
    const { page } = stage
    await open(plain)
    await page.getByRole('button', { name: 'Edit Project' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Project' })
    const name = uniqueName('renamed')
    await form.getByLabel('Name').fill(name)
    const call = page.waitForRequest('**/project/update')
    await form.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await call).postDataJSON(), {
      id: plain.id,
      name,
      path: plain.path,
      stack: 'static',
      server_instance_id: instance.id,
    })
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await Operation.query()
      .where({ subjectType: 'project', subjectId: String(plain.id) })
      .update({ status: 'done' })
    const host = {
      type: 'static',
      url_type: 'subdomain',
      server_admin: 'admin@example.com',
      entry_point: '',
      subdomain: `${uniqueName('shop')}.example.com`,
    }
    const visitor = await signIn(stage.person)
    const answer = await visitor.post('/project/update', { id: plain.id, virtual_host: host })
    assert.deepEqual([answer.status, answer.json.success], [202, true])
  })

  proves(['C4.23', 'C5.8', 'C5.29', 'C5.30', 'C5.31', 'C5.32', 'C5.33'], async () => {
    const { page } = stage
    const project = await makeProject(instance, { name: uniqueName('served'), stack: 'static' })
    await open(project, 'virtual-host')
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    const form = page.getByRole('dialog', { name: 'Virtual Host Setup' })
    const isRequired = async (label: string | RegExp) =>
      (await form.getByLabel(label).getAttribute('required')) === ''
    const entry = form.getByLabel('Entry Point')
    const domain = form.getByLabel('Domain')
    await domain.fill('Shop.Example.com')
    await form.getByText('shop.example.com.conf').waitFor()
    for (const type of ['node', 'static', 'php']) {
      await form.getByLabel('Type', { exact: false }).first().selectOption(type)
      assert.equal(await entry.getAttribute('placeholder'), 'public', type)
    }
    for (const label of [/^Type/, /^Url Type/, /^Server Admin Email/, /^Domain/]) {
      assert.ok(await isRequired(label), String(label))
    }
    await form.getByLabel(/^Url Type/).selectOption('port')
    const port = form.getByLabel(/^Port/)
    await port.fill('8081')
    assert.ok(await isRequired(/^Port/))
    await form.getByText('port_8081.conf').waitFor()
    assert.equal(await domain.count(), 0)
    await form.getByLabel(/^Type/).selectOption('reverse_proxy')
    await form.getByText('No configuration is needed').waitFor()
    await form.getByLabel(/^Reverse Proxy Port/).waitFor()
    assert.ok(await isRequired(/^Reverse Proxy Port/))
    assert.deepEqual([await entry.count(), await form.getByText(/\.conf$/).count()], [0, 0])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await form.waitFor({ state: 'detached' })
    const visitor = await signIn(stage.person)
    const empty = await visitor.post('/project/update', { id: project.id, virtual_host: {} })
    assert.equal(empty.status, 422)
    for (const field of ['type', 'url_type', 'server_admin']) {
      assert.ok(empty.json.errors![field], field)
    }
  })

  proves(
    [
      'C3.16',
      'C4.18',
      'C4.19',
      'C5.25',
      'C5.34',
      'C5.35',
      'C5.36',
      'C5.37',
      'C7.29',
      'C7.30',
      'C7.31',
    ],
    async () => {
      const { page } = stage
      // The output of PM2 is fake. Tests in tests/system run the real PM2.
      const entry = (name: string, id: number, status: string) => ({
        pm_id: id,
        name,
        pid: 40 + id,
        monit: { cpu: 3, memory: 2 * 1024 ** 2 },
        pm2_env: { status, restart_time: 0, uptime: 5 },
        folder: '',
        ports: [],
        logs: { out: null, errors: null },
        trouble: null,
      })
      const list = [entry('one', 0, 'online'), entry('two', 1, 'stopped')]
      const body = { success: true, message: '', data: { processes: list, note: null } }
      const asked: string[] = []
      await page.route('**/project/pm2/list?*', (route) => {
        asked.push(new URL(route.request().url()).search)
        return route.fulfill({ json: body })
      })
      await page.route('**/project/pm2/process-action', (route) => route.fulfill({ json: body }))
      await page.route('**/project/pm2/start-new', (route) =>
        route.fulfill({ json: { success: true, message: 'It is being started.', data: {} } })
      )
      await open(app, 'processes')
      const table = page.getByRole('table', { name: 'Node processes' })
      const buttons = async (name: string) =>
        (await table.getByRole('row').filter({ hasText: name }).getByRole('button').allInnerTexts())
          .map((one) => one.trim())
          .filter((one) => one !== 'Logs')
      await table.waitFor()
      assert.deepEqual(await buttons('one'), ['Restart', 'Stop'])
      assert.deepEqual(await buttons('two'), ['Start', 'Delete'])
      const words = await table.getByRole('row').filter({ hasText: 'one' }).innerText()
      for (const part of ['0', 'one', '40', '3 %', '2.0 MB', 'Online']) {
        assert.ok(words.includes(part), `${part}: ${words}`)
      }
      assert.equal(asked[0], `?server_instance_id=${instance.id}`)
      await table.getByRole('button', { name: 'Delete two' }).click()
      await page.getByText('Sure to delete process (two)?').waitFor()
      const act = page.waitForRequest('**/project/pm2/process-action')
      await page.getByRole('button', { name: 'Delete process' }).click()
      assert.deepEqual((await act).postDataJSON(), {
        server_instance_id: instance.id,
        action: 'delete',
        name: 'two',
      })
      for (const type of ['nonBuild', 'build']) {
        await page.getByRole('button', { name: 'Start New Process' }).first().click()
        const form = page.getByRole('dialog', { name: 'Start New Process' })
        await form.getByLabel(/^Type/).selectOption(type)
        const name = form.getByRole('textbox', { name: 'Name', exact: true }).first()
        assert.deepEqual(
          [await name.inputValue(), await name.getAttribute('readonly')],
          [app.name, '']
        )
        const path = `/var/www/public_html/${app.path}`
        assert.equal(await form.getByLabel(/^Project Path/).inputValue(), path)
        const common = { type, name: app.name, projectPath: path, server_instance_id: instance.id }
        if (type === 'build') {
          const manager = form.getByLabel(/^Package Manager/)
          assert.deepEqual(await manager.locator('option').allInnerTexts(), ['npm', 'pnpm', 'yarn'])
          assert.equal(await manager.getAttribute('required'), '')
          assert.equal(await form.getByLabel(/^Local Port/).getAttribute('required'), '')
          await form.getByLabel(/^Local Port/).fill('3000')
        } else {
          assert.equal(await form.getByLabel(/^Main Script/).getAttribute('required'), '')
          await form.getByLabel(/^Main Script/).fill('server.js')
        }
        const start = page.waitForRequest('**/project/pm2/start-new')
        await form.getByRole('button', { name: 'Start process' }).click()
        const sent = (await start).postDataJSON() as object
        assert.deepEqual(sent, {
          ...common,
          ...(type === 'build' ? { packageManager: 'npm', port: '3000' } : { script: 'server.js' }),
        })
        await form.waitFor({ state: 'detached' })
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  )
})
