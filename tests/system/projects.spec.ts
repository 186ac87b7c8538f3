import { closePort, Domain, openPort, type ServerInstance } from '#compute/public'
import { edgeSettings } from '#compute/edge/settings'
import Operation from '#core/models/operation'
import { operationsOf } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import type Person from '#identity/models/person'
import Project from '#projects/models/project'
import { makeHost, makeInstance } from '#projects/tests/fixtures'
import { askPublicly, bringEdgeUpToDate } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { retire } from '#tests/support/hosts'
import { nicOf } from '#tests/support/nic'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { Incus } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { get } from 'node:http'

const socket = process.env.INCUS_SOCKET
/** A file that makes Apache refuse its whole configuration. */
const broken = '/etc/apache2/conf-enabled/zz-broken.conf'
const CLEAN = `rm -rf /var/www/public_html/*
systemctl stop holder
[ ! -e /home/berth/.pm2/pm2.pid ] || sudo -u berth -H pm2 delete all`

test.group('Projects | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('projects', () => {}).skip(true, 'INCUS_SOCKET names no Incus that is there')
    return
  }
  if (!edgeSettings()) {
    test('projects', () => {}).skip(true, 'EDGE_ADMIN names no Caddy')
    return
  }

  const incus = Incus.local(socket)
  const system = `projects-${randomUUID().slice(0, 8)}`
  /** Whether the instance reaches the registries of packages. */
  const reached = { debian: false, npm: false }
  let customer: Person
  let visitor: Visitor
  let instance: ServerInstance

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
  /**
   * Asks the instance from outside, as a visitor of the site. Apache takes a new configuration in the
   * background, so that what has just changed is asked for until it is there.
   */
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
  const succeeds = async (...argv: string[]) =>
    inside(...argv).then(
      ({ exitCode }) => exitCode === 0,
      () => false
    )
  const works = async (path: string, body: object) => {
    const { id, operation } = await call(path, body)
    if (operation.status !== 'done') throw new Error(`${operation.kind}: ${operation.error}`)
    return id
  }
  const store = (stack: string, path: string) =>
    works('/project/store', { name: path, path, stack, server_instance_id: instance.id })
  const newestOf = async (id: number) => (await operationsOf('project', id))[0]!
  /** As `store`, but the worker ends while a step is at work, and another goes on. */
  const storeWithCut = async (stack: string, path: string, step: string) => {
    const body = { name: path, path, stack, server_instance_id: instance.id }
    const { data } = (await visitor.post('/project/store', body)).json
    const { id, operation_id: work } = data as { id: number; operation_id: string }
    const worker = new AbortController()
    const working = runSteps(work, worker.signal)
    await eventually(async () => {
      const { steps } = await Operation.findOrFail(work)
      const { status, note } = steps.find(({ key }) => key === step)!
      const isCuttable = status === 'running' && /^(Unpacking|Setting up) /.test(note ?? '')
      if (!isCuttable && status !== 'done') throw new Error(`${step} is ${status}: ${note}`)
    }, 400_000)
    worker.abort()
    await working
    if ((await newestOf(id)).status !== 'running') throw new Error('It was not cut off')
    await runSteps(work)
    const { status, error } = await newestOf(id)
    if (status !== 'done') throw new Error(`It ended as ${status}: ${error}`)
    return id
  }
  const host = (more: object) => ({
    server_admin: 'admin@example.com',
    entry_point: '',
    type: 'static',
    ...more,
  })

  /** Each test begins with it, because a second try must find nothing of the first. */
  const startAnew = async () => {
    await inside('rm', '-f', broken)
    const mine = () => Project.query().where('serverInstanceId', instance.id)
    for (const { id } of await mine().whereNot('status', 'deleted')) {
      await call('/project/change-status', { id, status: 'deleted' }).catch(() => {})
    }
    await mine().update({ status: 'deleted' })
    await inside('sh', '-c', CLEAN)
  }

  /** The owner is told until when the certificate is valid, and of what went wrong since it was made. */
  const tellsOfItsCertificate = async (assert: Assert, name: string) => {
    const told = async (at: Date) => {
      const line = {
        ts: at.getTime() / 1000,
        msg: 'will retry',
        error: 'no A record',
        identifier: name,
      }
      await appendFile(edgeSettings()!.tlsLog, `${JSON.stringify(line)}\n`)
      await bringEdgeUpToDate(name)
      return Domain.findByOrFail('subdomain', name)
    }
    const hour = 3_600_000
    const { status, statusReason, certificateUntil } = await told(new Date(Date.now() - hour))
    assert.equal(status, 'active')
    assert.isNull(statusReason)
    assert.isAbove(certificateUntil!.toMillis(), Date.now())
    const later = await told(new Date(Date.now() + hour))
    assert.match(later.statusReason!, /getting the next one fails/)
    assert.deepEqual([later.status, later.details], ['active', 'no A record'])
  }

  group.each.timeout(600_000)
  group.setup(async () => {
    const profile = await incus.profiles.get('default')
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.cpu': '2', 'limits.memory': '2GiB' },
      devices: { root: { ...profile.devices.root!, size: '6GiB' }, eth0: await nicOf(incus) },
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
    reached.debian = await succeeds('apt-get', '-q', '-o', 'APT::Update::Error-Mode=any', 'update')
    reached.npm = await succeeds('npm', 'view', '--fetch-retries=0', 'next', 'version')
    customer = await makeCustomer()
    visitor = await signIn(customer)
    const host = await makeHost(socket, { isLocal: true })
    const where = { systemId: system, hostInstanceId: host.id, privateIp }
    instance = await makeInstance(customer, where)
    return async () => {
      await retire(host)
      await instance.merge({ status: 'deleted' }).save()
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(120)
      await (await incus.instances.delete(system)).wait(120)
      await incus.close()
    }
  })

  test('a static site answers at its port and its domain, and goes when deleted', async ({
    assert,
  }) => {
    await startAnew()
    const id = await store('static', 'plain')
    assert.include((await ask('/plain/')).text, '<h1>plain</h1>')

    const byPort = host({ url_type: 'port', url_port: 8081 })
    await works('/project/update', { id, virtual_host: byPort })
    await eventually(async () =>
      assert.include((await ask('/', { port: 8081 })).text, '<h1>plain</h1>')
    )

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
    await eventually(async () =>
      assert.include((await ask('/', { host: name })).text, '<h1>plain</h1>')
    )
    await eventually(() => assert.rejects(() => ask('/', { port: 8081 }), /ECONNREFUSED/))
    await eventually(async () => assert.include((await askPublicly(name)).text, '<h1>plain</h1>'))
    await tellsOfItsCertificate(assert, name)

    await works('/project/change-status', { id, status: 'deleted' })
    await eventually(async () =>
      assert.notInclude((await ask('/', { host: name })).text, '<h1>plain</h1>')
    )
    assert.isNull(await Domain.findBy('subdomain', name))
    assert.equal((await inside('ls', '/etc/apache2/sites-enabled')).output, '000-default.conf')
    assert.equal((await ask('/plain/')).status, 200)
  })

  test('what the web server refuses is undone, and other sites go on', async ({ assert }) => {
    await startAnew()
    const good = await store('static', 'good')
    const port = { url_type: 'port', url_port: 8082 }
    await works('/project/update', { id: good, virtual_host: host(port) })
    const other = await store('static', 'other')
    const before = (await inside('ls', '/etc/apache2/sites-enabled')).output

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

  test('a Node process answers at its domain, is stopped and started, and goes when deleted', async ({
    assert,
  }) => {
    await startAnew()
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
    const answers = async () =>
      assert.include((await askPublicly(name)).text, 'A Node process answers.')
    await answers()
    assert.deepEqual(Object.keys((await list())[0]), [
      ...['pm_id', 'name', 'pid', 'monit', 'pm2_env', 'trouble'],
    ])
    assert.deepEqual(Object.keys((await list())[0].pm2_env), ['status', 'restart_time', 'uptime'])

    await act('stop')
    assert.equal((await list())[0].pm2_env.status, 'stopped')
    await eventually(async () => assert.equal((await askPublicly(name)).status, 503))
    await act('start')
    await eventually(answers)

    // Its sources are no pages of the default site.
    assert.equal((await ask(`/${project.path}/server.js`)).status, 403)

    const idle = '/var/www/public_html/app/idle.js'
    await incus.instances.pushFile(system, idle, 'setInterval(() => {}, 1000)', { mode: '0644' })
    await works('/project/pm2/start-new', {
      type: 'nonBuild',
      name: 'second',
      projectPath: '/var/www/public_html/app',
      script: 'idle.js',
      server_instance_id: instance.id,
    }).catch((error: Error) => assert.fail(error.message))
    assert.includeMembers(
      (await list()).map((process) => process.name),
      ['app', 'second']
    )
    await works('/project/change-status', { id, status: 'deleted' })
    assert.deepEqual(await list(), [])
  })

  test('PHP answers, and WordPress reaches its install page although it was cut off', async ({
    assert,
  }) => {
    await startAnew()
    const id = await store('php', 'dynamic')
    await eventually(async () =>
      assert.match((await ask('/dynamic/')).text, /PHP 8\.\d+\.\d+ answers/)
    )
    const name = `php-${system}.example.com`
    const site = { type: 'php', url_type: 'subdomain', subdomain: name }
    await works('/project/update', { id, virtual_host: host(site) })
    await eventually(async () =>
      assert.match((await askPublicly(name)).text, /PHP 8\.\d+\.\d+ answers/)
    )

    const blog = await storeWithCut('wordpress', 'blog', 'database')
    const domain = `blog-${system}.example.com`
    await works('/project/update', { id: blog, virtual_host: host({ ...site, subdomain: domain }) })
    await eventually(async () => {
      const page = await askPublicly(domain, '/wp-admin/install.php?step=1')
      assert.equal(page.status, 200)
      assert.include(page.text, 'name="weblog_title"')
      // It knows that visitors came by TLS.
      assert.match(page.text, /https:\/\/blog-[^'"]+\.css/)
    })

    const config = '/var/www/public_html/blog/wp-config.php'
    const { output: facts } = await inside('stat', '-c', '%a %U %G', config)
    assert.equal(facts, '640 berth www-data')
    const { output: text } = await inside('cat', config)
    const password = /'DB_PASSWORD', '(\w{40,})'/.exec(text)![1]
    const kept = await db.rawQuery('select input, memory, steps, result, error from operations')
    assert.notInclude(JSON.stringify(kept.rows), password)
    assert.equal((await askPublicly(domain, '/wp-config.php')).text, '')
    const enabled = await inside('sh', '-c', 'systemctl is-enabled mariadb php*-fpm apache2')
    assert.equal(enabled.exitCode, 0, enabled.output)
  }).skip(() => !reached.debian, "the instance cannot reach Debian's packages")

  test('a Next.js build is made, started and served', async ({ assert }) => {
    await startAnew()
    const id = await store('next', 'site')
    const name = `next-${system}.example.com`
    const { port } = (await newestOf(id)).result as { port: number }
    const proxy = { type: 'reverse_proxy', url_type: 'subdomain', reverse_proxy_port: port }
    await works('/project/update', { id, virtual_host: host({ ...proxy, subdomain: name }) })
    await eventually(async () => assert.include((await askPublicly(name)).text, 'Next.js answers.'))
    await works('/project/change-status', { id, status: 'inactive' })
    await eventually(async () =>
      assert.notInclude((await askPublicly(name)).text, 'Next.js answers.')
    )
  }).skip(() => !reached.npm, "the instance cannot reach npm's registry")

  test('{$self} installs, builds and starts an app with its port')
    .with(['pnpm', 'yarn'] as const)
    .run(async ({ assert }, packageManager) => {
      await startAnew()
      const folder = `/var/www/public_html/built-${packageManager}`
      const port = packageManager === 'pnpm' ? 4101 : 4102
      const files = {
        'package.json': JSON.stringify({
          private: true,
          scripts: { build: 'node build.js', start: 'node start.js' },
          dependencies: { 'is-number': '7.0.0' },
        }),
        'build.js':
          "require('fs').writeFileSync('built', process.env.npm_config_user_agent + require('is-number')(1))",
        'start.js':
          "require('http').createServer((_, to) => to.end(require('fs').readFileSync('built'))).listen(process.env.PORT)",
      }
      await inside('install', '-d', '-o', 'berth', '-g', 'berth', folder)
      for (const [name, text] of Object.entries(files)) {
        await incus.instances.pushFile(system, `${folder}/${name}`, text)
      }
      await works('/project/pm2/start-new', {
        type: 'build',
        name: `built-${packageManager}`,
        packageManager,
        port,
        projectPath: folder,
        server_instance_id: instance.id,
      })
      const { output } = await inside('curl', '-s', `http://127.0.0.1:${port}/`)
      assert.match(output, new RegExp(`^${packageManager}/.*true$`))
    })
    .skip(() => !reached.npm, "the instance cannot reach npm's registry")

  test('everything comes back after the instance reboots', async ({ assert }) => {
    await startAnew()
    const name = (what: string) => `${what}-back-${system}.example.com`
    const [still, app] = [await store('static', 'still-back'), await store('node', 'app-back')]
    const { port } = (await newestOf(app)).result as { port: number }
    const site = { url_type: 'subdomain', subdomain: name('still') }
    await works('/project/update', { id: still, virtual_host: host(site) })
    const proxy = { ...site, type: 'reverse_proxy', reverse_proxy_port: port }
    await works('/project/update', {
      id: app,
      virtual_host: host({ ...proxy, subdomain: name('app') }),
    })

    const restart = { force: false, timeout: 60 }
    await (await incus.instances.setState(system, 'restart', restart)).wait(120)
    await isUp()
    await eventually(async () => {
      assert.include((await askPublicly(name('still'))).text, '<h1>still-back</h1>')
      assert.include((await askPublicly(name('app'))).text, 'A Node process answers.')
    })
  })
})
