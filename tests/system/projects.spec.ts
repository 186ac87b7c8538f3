import { closePort, openPort, type ServerInstance } from '#compute/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type Person from '#identity/models/person'
import Project from '#projects/models/project'
import { makeHost, makeInstance } from '#projects/tests/fixtures'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { Incus } from '#packages/incus/main'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'

const socket = process.env.INCUS_SOCKET

test.group('Projects | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('projects', () => {}).skip(true, 'INCUS_SOCKET names no Incus that is there')
    return
  }

  const incus = Incus.local(socket)
  const system = `projects-${randomUUID().slice(0, 8)}`
  /** Why packages cannot be installed here; empty when they can. */
  let offline = ''
  let customer: Person
  let visitor: Visitor
  let instance: ServerInstance

  const sayOffline = () =>
    void process.stdout.write(`    not asked, because packages cannot be reached: ${offline}\n`)
  const inside = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await incus.instances.exec(system, argv, { timeout: 300 })
    return { exitCode, output: stdout.toString().trim(), errors: stderr.toString().trim() }
  }
  const isUp = () =>
    eventually(async () => {
      const { output } = await inside('systemctl', 'is-system-running')
      if (!['running', 'degraded'].includes(output)) throw new Error(`It is ${output}`)
      const { network } = await incus.instances.state(system)
      const found = network?.eth0?.addresses.find(({ family }) => family === 'inet')
      if (!found) throw new Error('It has no address')
      return found.address
    }, 120_000)
  /** Asks the instance from outside, as a visitor of the site. */
  const ask = (path: string, { port = 80, host = 'localhost' } = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const url = `http://${instance.privateIp}:${port}${path}`
      get(url, { headers: { host }, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, text }))
      }).on('error', reject)
    })
  const call = async (path: string, body: object) => {
    const answer = await visitor.post(path, body)
    if (!answer.json.success) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    const data = answer.json.data as { id: number; operation_id: string }
    await runSteps(data.operation_id)
    const operation = await Operation.findOrFail(data.operation_id)
    return { id: data.id, operation }
  }
  const works = async (path: string, body: object) => {
    const { id, operation } = await call(path, body)
    if (operation.status !== 'done') throw new Error(`${operation.kind}: ${operation.error}`)
    return id
  }
  const store = (stack: string, path: string) =>
    works('/project/store', { name: path, path, stack, server_instance_id: instance.id })
  const host = (more: object) => ({
    server_admin: 'admin@example.com',
    entry_point: '',
    type: 'static',
    ...more,
  })

  group.each.timeout(600_000)
  group.setup(async () => {
    const profile = await incus.profiles.get('default')
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.cpu': '2', 'limits.memory': '2GiB' },
      devices: { root: { ...profile.devices.root!, size: '6GiB' } },
      start: true,
    }
    await (await incus.instances.create(wanted)).wait(120)
    const privateIp = await isUp()
    // Packages need not survive a power cut here; waiting for the disk is most of installing them.
    const unsafe = '/etc/dpkg/dpkg.cfg.d/unsafe-io'
    await incus.instances.pushFile(system, unsafe, 'force-unsafe-io\n')
    // Where certificates of registries are signed by an authority of the machine's own, npm is told.
    const authorities = process.env.NODE_EXTRA_CA_CERTS
    if (authorities && existsSync(authorities)) {
      const file = '/usr/local/share/authorities.pem'
      await incus.instances.pushFile(system, file, await readFile(authorities), { mode: '0644' })
      await inside('npm', 'config', 'set', '--global', 'cafile', file)
    }
    for (const argv of [
      ['apt-get', '-q', 'update'],
      ['npm', 'view', 'next', 'version'],
    ]) {
      const { exitCode, errors, output } = await inside(...argv)
      if (exitCode !== 0) offline ||= `${argv.join(' ')}: ${errors || output}`
    }
    customer = await makeCustomer()
    visitor = await signIn(customer)
    const { id: hostInstanceId } = await makeHost(socket)
    instance = await makeInstance(customer, { systemId: system, hostInstanceId, privateIp })
    return async () => {
      await instance.merge({ status: 'deleted' }).save()
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(120)
      await (await incus.instances.delete(system)).wait(120)
      await incus.close()
    }
  })

  test('a static site answers at its port and its domain, and goes when deleted', async ({
    assert,
  }) => {
    const id = await store('static', 'plain')
    assert.include((await ask('/plain/')).text, '<h1>plain</h1>')

    const byPort = host({ url_type: 'port', url_port: 8081 })
    await works('/project/update', { id, virtual_host: byPort })
    assert.include((await ask('/', { port: 8081 })).text, '<h1>plain</h1>')

    // What a regular instance gets besides: a port of its host.
    const outer = await openPort(instance, 8081)
    const answer = await fetch(`http://127.0.0.1:${outer}/`)
    assert.include(await answer.text(), '<h1>plain</h1>')
    await closePort(instance, 8081)
    await instance.refresh()
    assert.deepEqual(instance.ports, {})

    const name = `${system}.example.com`
    await works('/project/update', {
      id,
      virtual_host: host({ url_type: 'subdomain', subdomain: name }),
    })
    assert.include((await ask('/', { host: name })).text, '<h1>plain</h1>')
    await assert.rejects(() => ask('/', { port: 8081 }), /ECONNREFUSED/)

    await works('/project/change-status', { id, status: 'deleted' })
    assert.notInclude((await ask('/', { host: name })).text, '<h1>plain</h1>')
    assert.equal((await inside('ls', '/etc/apache2/sites-enabled')).output, '000-default.conf')
    assert.equal((await ask('/plain/')).status, 200)
  })

  test('what the web server refuses is undone, and other sites go on', async ({ assert }) => {
    const good = await store('static', 'good')
    const port = { url_type: 'port', url_port: 8082 }
    await works('/project/update', { id: good, virtual_host: host(port) })
    const other = await store('static', 'other')
    const before = (await inside('ls', '/etc/apache2/sites-enabled')).output

    const broken = '/etc/apache2/conf-enabled/zz-broken.conf'
    await incus.instances.pushFile(system, broken, Buffer.from('NoSuchDirective on\n'), {})
    const wanted = host({ url_type: 'port', url_port: 8083 })
    const refused = await call('/project/update', { id: other, virtual_host: wanted })
    await inside('rm', broken)
    assert.equal(refused.operation.status, 'failed')
    assert.include(refused.operation.error!, 'NoSuchDirective')
    const project = await Project.findOrFail(other)
    assert.include(project.siteError!, 'NoSuchDirective')
    assert.isNull(project.virtualHost)

    // A port that something else holds passes Apache's own test and would take all of Apache down.
    await inside(
      'systemd-run',
      '--unit=holder',
      'node',
      '-e',
      'require("net").createServer().listen(8084)'
    )
    await eventually(async () => {
      const { output } = await inside('ss', '-Hltn', 'sport = :8084')
      if (!output) throw new Error('Nothing holds the port')
    })
    const held = host({ url_type: 'port', url_port: 8084 })
    const second = await call('/project/update', { id: other, virtual_host: held })
    assert.include(second.operation.error!, 'Port 8084 is in use')

    assert.equal((await inside('ls', '/etc/apache2/sites-enabled')).output, before)
    assert.include((await ask('/', { port: 8082 })).text, '<h1>good</h1>')
    assert.equal((await inside('apache2ctl', 'configtest')).exitCode, 0)
    assert.equal((await inside('systemctl', 'is-active', 'apache2')).output, 'active')
  })

  test('a Node process answers, is stopped and started, and is back after a reboot', async ({
    assert,
  }) => {
    const id = await store('node', 'app')
    const project = await Project.findOrFail(id)
    const list = async () => {
      const answer = await visitor.get(`/project/pm2/list?server_instance_id=${instance.id}`)
      return answer.json.data!.processes as {
        name: string
        pid: number
        pm2_env: { status: string }
      }[]
    }
    const act = async (action: string) => {
      const body = { server_instance_id: instance.id, action, name: 'app' }
      const answer = await visitor.post('/project/pm2/process-action', body)
      assert.equal(answer.status, 200, answer.text)
    }
    const proxy = { type: 'reverse_proxy', url_type: 'subdomain', reverse_proxy_port: 3000 }
    const name = `app-${system}.example.com`
    await works('/project/update', { id, virtual_host: host({ ...proxy, subdomain: name }) })
    const answers = async () => {
      const { text } = await ask('/', { host: name })
      if (!text.includes('A Node process answers.')) throw new Error(text)
    }
    await answers()
    assert.deepEqual(Object.keys((await list())[0]), ['pm_id', 'name', 'pid', 'monit', 'pm2_env'])
    assert.deepEqual(Object.keys((await list())[0].pm2_env), ['status'])

    await act('stop')
    assert.equal((await list())[0].pm2_env.status, 'stopped')
    assert.equal((await ask('/', { host: name })).status, 503)
    await act('start')
    await eventually(answers)

    await (
      await incus.instances.setState(system, 'restart', { force: false, timeout: 60 })
    ).wait(120)
    await isUp()
    await eventually(answers)

    // Its sources are no pages of the default site.
    assert.equal((await ask(`/${project.path}/server.js`)).status, 403)

    await works('/project/pm2/start-new', {
      type: 'nonBuild',
      name: 'second',
      projectPath: '/var/www/public_html/app',
      script: 'server.js',
      server_instance_id: instance.id,
    }).catch((error: Error) => assert.fail(error.message))
    assert.includeMembers(
      (await list()).map((process) => process.name),
      ['app', 'second']
    )
    await works('/project/change-status', { id, status: 'deleted' })
    assert.deepEqual(await list(), [])
  })

  test('PHP answers, and WordPress shows its install page', async ({ assert }) => {
    if (offline) return sayOffline()
    const id = await store('php', 'dynamic')
    assert.match((await ask('/dynamic/')).text, /PHP 8\.\d+\.\d+ answers/)
    await works('/project/update', {
      id,
      virtual_host: host({ type: 'php', url_type: 'port', url_port: 8085 }),
    })
    assert.match((await ask('/', { port: 8085 })).text, /PHP 8\.\d+\.\d+ answers/)

    await store('wordpress', 'blog')
    const { text } = await ask('/blog/wp-admin/setup-config.php')
    assert.include(text, 'WordPress')
    assert.match(text, /setup-config\.php\?step=0|language/)
  })

  test('a Next.js build is made, started and served', async ({ assert }) => {
    if (offline) return sayOffline()
    const id = await store('next', 'site')
    const name = `next-${system}.example.com`
    const operation = await Operation.query()
      .where({ subjectType: 'project', subjectId: String(id) })
      .firstOrFail()
    const { port } = operation.result as { port: number }
    await works('/project/update', {
      id,
      virtual_host: host({
        type: 'reverse_proxy',
        url_type: 'subdomain',
        reverse_proxy_port: port,
        subdomain: name,
      }),
    })
    assert.include((await ask('/', { host: name })).text, 'Next.js answers.')
    await works('/project/change-status', { id, status: 'inactive' })
    assert.notInclude((await ask('/', { host: name })).text, 'Next.js answers.')
  })
})
