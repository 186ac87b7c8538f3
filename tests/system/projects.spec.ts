import { Domain } from '#edge/public'
import type { ServerInstance } from '#instances/public'
import { edgeSettings } from '#edge/settings'
import Operation from '#core/models/operation'
import { listOperationsOfSubject } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import Project from '#projects/models/project'
import type { SiteLogs } from '#projects/transformers/page_props'
import { fetchSiteOnceServed, updateEdge, edgeDispatcher } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import type { Visitor } from '#tests/support/people'
import { startSiteMachine, type SiteMachine, virtualHostFields } from '#tests/support/site_machine'
import db from '@adonisjs/lucid/services/db'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { get } from 'node:http'
import { fetch, FormData } from 'undici'

const socket = process.env.INCUS_SOCKET
/** Path of an invalid file. It makes Apache reject its whole configuration. */
const broken = '/etc/apache2/conf-enabled/zz-broken.conf'
const CLEAN_UP_SCRIPT = `rm -rf /var/www/public_html/*
systemctl stop holder
[ ! -e /home/berth/.pm2/pm2.pid ] || sudo -u berth -H pm2 delete all`

test.group('Projects | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  if (!edgeSettings()) {
    test('skipped without Caddy', () => {}).skip(true, 'needs a Caddy: set EDGE_ADMIN')
    return
  }

  let machine: SiteMachine
  let system: string
  let instance: ServerInstance
  let visitor: Visitor

  const inside = (...argv: string[]) => machine.inside(...argv)
  /**
   * Requests a page from outside the instance, as a visitor would. Apache reloads in the background, so retry until a
   * change is visible.
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
  const call = (path: string, body: object) => machine.call(path, body)
  const works = (path: string, body: object) => machine.works(path, body)
  const store = (stack: string, path: string) => machine.store(stack, path)
  const newestOf = async (id: number) => (await listOperationsOfSubject('project', id))[0]!
  /**
   * Creates a project like `store`, but stops the worker in the middle of a step. Another worker then resumes the
   * operation.
   */
  const storeWithCut = async (
    { stack, path, step }: { stack: string; path: string; step: string },
    more: object
  ) => {
    const body = { name: path, path, stack, server_instance_id: instance.id, ...more }
    const { data } = (await visitor.post('/project/store', body)).json
    const { id, operation_id: work } = data as { id: number; operation_id: string }
    const worker = new AbortController()
    const working = runSteps(work, worker.signal)
    await eventually(async () => {
      const { steps } = await Operation.findOrFail(work)
      const { status, note } = steps.find(({ key }) => key === step)!
      const isCuttable = status === 'running' && /^(Unpacking|Setting up) /.test(note ?? '')
      if (!isCuttable && status !== 'done') throw new Error(`${step} is ${status}: ${note}`)
    }, 900_000)
    worker.abort()
    await working
    if ((await newestOf(id)).status !== 'running') throw new Error('It was not cut off')
    await runSteps(work)
    const { status, error } = await newestOf(id)
    if (status !== 'done') throw new Error(`It ended as ${status}: ${error}`)
    return id
  }
  const host = virtualHostFields

  /** Removes everything that earlier tests and attempts left. Each test calls it first. */
  const startAnew = async () => {
    await inside('rm', '-f', broken)
    const mine = () => Project.query().where('serverInstanceId', instance.id)
    for (const { id } of await mine().whereNot('status', 'deleted')) {
      await call('/project/change-status', { id, status: 'deleted' }).catch(() => {})
    }
    await mine().update({ status: 'deleted' })
    await inside('sh', '-c', CLEAN_UP_SCRIPT)
  }

  /** Checks that the form's PHP settings apply to this project and to no other site. */
  const takesPhpSettings = async (
    assert: Assert,
    { id, site, name, other }: { id: number; site: object; name: string; other: string }
  ) => {
    const shown = `<?php foreach (['upload_max_filesize', 'post_max_size', 'memory_limit', 'max_execution_time'] as $key) echo ini_get($key), ' ';`
    for (const path of ['dynamic', 'other']) await machine.upload(path, { 'limits.php': shown })
    const limitsOfOther = async () => (await (await fetch(`${other}/limits.php`)).text()).trim()
    const limits = async () => (await fetchSiteOnceServed(name, '/limits.php')).text.trim()
    assert.equal(await limits(), '64M 72M 256M 60')
    assert.equal(await limitsOfOther(), '64M 72M 256M 60')
    const names = "['bcmath', 'gmp', 'intl', 'pdo_sqlite', 'soap', 'sqlite3']"
    const missing = `<?php echo join(' ', array_diff(${names}, array_map('strtolower', get_loaded_extensions()))), '.';`
    await machine.upload('other', { 'missing.php': missing })
    assert.equal(await (await fetch(`${other}/missing.php`)).text(), '.')

    const change = (more: object) => ({ id, virtual_host: host({ ...site, ...more }) })
    await works('/project/update', change({ php_upload_mb: 200, php_seconds: '400' }))
    await eventually(async () => assert.equal(await limits(), '200M 208M 256M 400'))
    assert.equal(await limitsOfOther(), '64M 72M 256M 60')

    const { json } = await visitor.get(`/project/${id}/php`)
    const { versions } = json.data as { versions: string[] }
    assert.match(versions.join(' '), /^\d\.\d+$/)
    await works('/project/update', change({ php_upload_mb: 100, php_version: versions[0] }))
    const { operation } = await call('/project/update', change({ php_version: '5.6' }))
    assert.equal(operation.status, 'failed')
    assert.include(operation.error!, `Installed: ${versions[0]}.`)
    // After the failed change, the earlier settings apply again.
    await eventually(async () => assert.equal(await limits(), '100M 108M 256M 60'))

    await works('/project/update', change({ type: 'static' }))
    assert.notInclude((await inside('sh', '-c', 'ls /etc/php/*/fpm/pool.d')).output, `berth-${id}.`)
    await works('/project/update', change({}))
    await eventually(async () => assert.equal(await limits(), '64M 72M 256M 60'))
  }

  /**
   * Checks that the project's page explains errors: of an `.htaccess` file from another hosting company, and of PHP.
   */
  const showsSiteErrors = async (assert: Assert, { id, name }: { id: number; name: string }) => {
    const logs = async () => {
      const { json } = await visitor.get(`/project/${id}/logs`)
      return json.data as unknown as SiteLogs
    }
    assert.isNull((await logs()).problem)
    const folder = '/var/www/public_html/dynamic'
    await machine.upload('dynamic', {
      '.htaccess': '<IfModule dir_module>\n  php_value memory_limit 512M\n</IfModule>\n',
      'broken.php': '<?php\nmissing_function();',
    })
    assert.equal((await fetchSiteOnceServed(name, '/limits.php')).status, 500)
    // Waits, because Apache logs a request after its response.
    await eventually(async () => {
      const { access, problem } = await logs()
      assert.match(access.at(-1)!, /"GET \/limits\.php HTTP/)
      assert.include(problem?.words, `${folder}/.htaccess sets PHP options with php_value`)
    })
    await inside('rm', `${folder}/.htaccess`)
    assert.equal((await fetchSiteOnceServed(name, '/broken.php')).status, 500)
    await eventually(async () => {
      const { problem } = await logs()
      assert.include(problem?.words, `PHP stopped in ${folder}/broken.php, line 2: `)
    })

    // Root of this instance could replace the log with a link. Berth must not follow it.
    const file = `/var/log/apache2/project_${id}_error.log`
    await inside('sh', '-c', `mv ${file} ${file}.kept && ln -s /etc/shadow ${file}`)
    const { errors } = await logs()
    await inside('mv', '-f', `${file}.kept`, file)
    assert.deepEqual(errors, [])
  }

  /** Checks that WordPress accepts an upload of 30 MB. */
  const takesLargeUpload = async (assert: Assert, domain: string, password: string) => {
    const dispatcher = await edgeDispatcher(domain)
    const at = `https://${domain}:${edgeSettings()!.httpsPort}`
    const cookies = new Map([['wordpress_test_cookie', 'WP%20Cookie%20check']])
    const send = async (path: string, body?: FormData | URLSearchParams) => {
      const answer = await fetch(at + path, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        body,
        dispatcher,
      })
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
        cookies.set(name, value)
      }
      return { status: answer.status, text: await answer.text() }
    }
    try {
      await send(
        '/wp-login.php',
        new URLSearchParams({ log: 'ana', pwd: password, testcookie: '1' })
      )
      const page = await send('/wp-admin/media-new.php')
      const nonce = /name="_wpnonce" value="(\w+)"/.exec(page.text)![1]
      const film = Buffer.concat([
        Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2mp41', 'latin1'),
        Buffer.alloc(30 * 1024 * 1024),
      ])
      const form = new FormData()
      form.append('name', 'film.mp4')
      form.append('action', 'upload-attachment')
      form.append('_wpnonce', nonce)
      form.append('async-upload', new Blob([film], { type: 'video/mp4' }), 'film.mp4')
      const { status, text } = await send('/wp-admin/async-upload.php', form)
      assert.equal(status, 200, text)
      const { success, data } = JSON.parse(text) as { success: boolean; data: { url: string } }
      assert.isTrue(success, text)
      const stored = `/var/www/public_html/blog${new URL(data.url).pathname}`
      assert.equal((await inside('stat', '-c', '%s', stored)).output, String(film.length))
    } finally {
      await dispatcher.destroy()
    }
  }

  /** Checks that the owner sees when the certificate expires, and sees errors that are newer than the certificate. */
  const tellsOfItsCertificate = async (assert: Assert, name: string) => {
    const told = async (at: Date) => {
      const line = {
        ts: at.getTime() / 1000,
        msg: 'will retry',
        error: 'no A record',
        identifier: name,
      }
      await appendFile(edgeSettings()!.tlsLog, `${JSON.stringify(line)}\n`)
      await updateEdge(name)
      return Domain.findByOrFail('subdomain', name)
    }
    const hour = 3_600_000
    const { status, statusReason, certificateUntil } = await told(new Date(Date.now() - hour))
    assert.equal(status, 'active')
    assert.isNull(statusReason)
    assert.isAbove(certificateUntil!.toMillis(), Date.now())
    const later = await told(new Date(Date.now() + hour))
    assert.match(later.statusReason!, /but its renewal fails/)
    assert.deepEqual([later.status, later.details], ['active', 'no A record'])
  }

  group.each.timeout(1_800_000)
  group.setup(async () => {
    machine = await startSiteMachine(socket)
    ;({ system, instance, visitor } = machine)
    return () => machine.close()
  })

  test('a static site responds at its port and domain until it is deleted', async ({ assert }) => {
    await startAnew()
    const id = await store('static', 'plain')
    const preview = await machine.addressOf(id)
    assert.include(await (await fetch(preview)).text(), '<h1>plain</h1>')

    const byPort = host({ url_type: 'port', url_port: 8081 })
    await works('/project/update', { id, virtual_host: byPort })
    await eventually(async () =>
      assert.include((await ask('/', { port: 8081 })).text, '<h1>plain</h1>')
    )

    // On a regular instance, a project also gets a port of the host.
    const answer = await fetch(await machine.addressOf(id))
    assert.include(await answer.text(), '<h1>plain</h1>')

    const name = `${system}.example.com`
    await works('/project/update', {
      id,
      virtual_host: host({ url_type: 'subdomain', subdomain: name }),
    })
    await eventually(async () =>
      assert.include((await ask('/', { host: name })).text, '<h1>plain</h1>')
    )
    await eventually(() => assert.rejects(() => ask('/', { port: 8081 }), /ECONNREFUSED/))
    await instance.refresh()
    assert.deepEqual(Object.keys(instance.ports), ['ssh'])
    await eventually(async () =>
      assert.include((await fetchSiteOnceServed(name)).text, '<h1>plain</h1>')
    )
    await tellsOfItsCertificate(assert, name)

    await works('/project/change-status', { id, status: 'deleted' })
    await eventually(async () =>
      assert.notInclude((await ask('/', { host: name })).text, '<h1>plain</h1>')
    )
    assert.isNull(await Domain.findBy('subdomain', name))
    assert.equal((await inside('ls', '/etc/apache2/sites-enabled')).output, '000-default.conf')
    for (const host of ['localhost', name])
      assert.equal((await ask('/plain/', { host })).status, 404)
  })

  test('a change that the web server rejects is undone, and other sites keep working', async ({
    assert,
  }) => {
    await startAnew()
    const good = await store('static', 'good')
    const port = { url_type: 'port', url_port: 8082 }
    await works('/project/update', { id: good, virtual_host: host(port) })
    const other = await store('static', 'other')
    const before = (await inside('ls', '/etc/apache2/sites-enabled')).output

    await machine.incus.instances.pushFile(system, broken, Buffer.from('NoSuchDirective on\n'), {})
    const wanted = host({ url_type: 'port', url_port: 8083 })
    const refused = await call('/project/update', { id: other, virtual_host: wanted })
    await inside('rm', broken)
    assert.equal(refused.operation.status, 'failed')
    assert.include(refused.operation.error!, 'NoSuchDirective')
    const project = await Project.findOrFail(other)
    assert.include(project.siteError!, 'NoSuchDirective')
    assert.isNull(project.virtualHost)

    // With a port that is in use, Apache's configuration test passes, but Apache would not start.
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

  test('a Node process responds at its domain, is stopped and started, and is deleted', async ({
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
      assert.include(
        (await fetchSiteOnceServed(name)).text,
        'This page is served by a Node process.'
      )
    await answers()
    assert.deepEqual(Object.keys((await list())[0]), [
      'pm_id',
      'name',
      'pid',
      'monit',
      'pm2_env',
      'trouble',
    ])
    assert.deepEqual(Object.keys((await list())[0].pm2_env), ['status', 'restart_time', 'uptime'])

    await act('stop')
    assert.equal((await list())[0].pm2_env.status, 'stopped')
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 503))
    await act('start')
    await eventually(answers)

    assert.equal((await ask(`/${project.path}/server.js`)).status, 404)

    const idle = '/var/www/public_html/app/idle.js'
    await machine.incus.instances.pushFile(system, idle, 'setInterval(() => {}, 1000)', {
      mode: '0644',
    })
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

  test('PHP responds, and an interrupted set-up of WordPress completes', async ({ assert }) => {
    await startAnew()
    const id = await store('php', 'dynamic')
    await eventually(async () =>
      assert.match(
        await (await fetch(await machine.addressOf(id))).text(),
        /made by PHP 8\.\d+\.\d+/
      )
    )
    const other = await machine.addressOf(await store('php', 'other'))
    const name = `php-${system}.example.com`
    const site = { type: 'php', url_type: 'subdomain', subdomain: name }
    await works('/project/update', { id, virtual_host: host(site) })
    await eventually(async () =>
      assert.match((await fetchSiteOnceServed(name)).text, /made by PHP 8\.\d+\.\d+/)
    )

    await takesPhpSettings(assert, { id, site, name, other })
    await showsSiteErrors(assert, { id, name })

    // A password with quotation marks and backslashes. WordPress escapes these in submitted passwords before it
    // compares them.
    const secret = `pa'ss\\wo"rd-${randomUUID()}`
    const blog = await storeWithCut(
      { stack: 'wordpress', path: 'blog', step: 'database' },
      { wordpress_user: 'ana', wordpress_password: secret }
    )
    const domain = `blog-${system}.example.com`
    await works('/project/update', { id: blog, virtual_host: host({ ...site, subdomain: domain }) })
    await eventually(async () => {
      const page = await fetchSiteOnceServed(domain, '/hello-world/')
      assert.equal(page.status, 200)
      assert.include(page.text, 'Welcome to WordPress.')
      // WordPress must know that visitors use HTTPS.
      assert.match(page.text, /https:\/\/blog-[^'"]+\.css/)
    })

    await takesLargeUpload(assert, domain, secret)

    const config = '/var/www/public_html/blog/wp-config.php'
    const { output: facts } = await inside('stat', '-c', '%a %U %G', config)
    assert.equal(facts, '640 berth www-data')
    const { output: text } = await inside('cat', config)
    const password = /'DB_PASSWORD', '(\w{40,})'/.exec(text)![1]
    const kept = await db.rawQuery('select input, memory, steps, result, error from operations')
    const log = await inside('journalctl', '--no-pager')
    for (const each of [password, secret.slice(-36)]) {
      assert.notInclude(JSON.stringify(kept.rows), each)
      assert.notInclude(log.output, each)
    }
    assert.isNull((await Project.findOrFail(blog)).wordpressAdmin)
    assert.equal((await fetchSiteOnceServed(domain, '/wp-config.php')).status, 403)
    const enabled = await inside('sh', '-c', 'systemctl is-enabled mariadb php*-fpm apache2')
    assert.equal(enabled.exitCode, 0, enabled.output)
  }).skip(() => !machine.reached.debian, "the instance cannot reach Debian's packages")

  test('a Next.js app is built, started and served', async ({ assert }) => {
    await startAnew()
    const id = await store('next', 'site')
    const name = `next-${system}.example.com`
    const { port } = (await newestOf(id)).result as { port: number }
    const proxy = { type: 'reverse_proxy', reverse_proxy_port: port }
    await works('/project/update', { id, virtual_host: host({ ...proxy, url_type: 'port' }) })
    const answer = await fetch(await machine.addressOf(id))
    assert.include(await answer.text(), 'Next.js answers.')
    const byName = { ...proxy, url_type: 'subdomain', subdomain: name }
    await works('/project/update', { id, virtual_host: host(byName) })
    await eventually(async () =>
      assert.include((await fetchSiteOnceServed(name)).text, 'Next.js answers.')
    )
    await eventually(async () => {
      await updateEdge(name)
      assert.equal(await machine.addressOf(id), `https://${name}`)
    })
    assert.equal((await fetchSiteOnceServed(name, '/_next/static/x.js')).status, 404)
    await works('/project/change-status', { id, status: 'inactive' })
    await eventually(async () =>
      assert.notInclude((await fetchSiteOnceServed(name)).text, 'Next.js answers.')
    )
  }).skip(() => !machine.reached.npm, "the instance cannot reach npm's registry")

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
        await machine.incus.instances.pushFile(system, `${folder}/${name}`, text)
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
    .skip(() => !machine.reached.npm, "the instance cannot reach npm's registry")

  test('a production build has its build tools and variables, and keeps the lock file', async ({
    assert,
  }) => {
    await startAnew()
    const id = await store('static', 'lean')
    const folder = '/var/www/public_html/lean'
    const lock = '{"name":"lean","version":"1.0.0","lockfileVersion":1}'
    await machine.upload('lean', {
      'package.json': JSON.stringify({
        name: 'lean',
        version: '1.0.0',
        // The app has no start script. Its build writes a server, as Nuxt's does.
        scripts: { build: 'node build.js' },
        devDependencies: { tool: 'file:./tool' },
      }),
      'package-lock.json': lock,
      'tool/package.json': '{"name":"tool","version":"1.0.0"}',
      'tool/index.js': '',
      'build.js': `require('tool')
const { cpSync, mkdirSync, writeFileSync } = require('fs')
writeFileSync('built', [process.env.CI, process.env.NODE_ENV].join())
mkdirSync('.output/server', { recursive: true })
cpSync('source.mjs', '.output/server/index.mjs')`,
      'source.mjs': `import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
createServer((_, to) => to.end(readFileSync('built'))).listen(process.env.PORT)`,
    })
    const variables = [
      { name: 'NODE_ENV', value: 'production' },
      { name: 'CI', value: 'false' },
    ]
    const saved = await visitor.post('/project/pm2/environment', { project_id: id, variables })
    assert.equal(saved.status, 200, saved.text)
    const build = () =>
      call('/project/pm2/start-new', {
        type: 'build',
        name: 'lean',
        packageManager: 'npm',
        port: 4103,
        projectPath: folder,
        server_instance_id: instance.id,
      })
    const { operation } = await build()
    assert.equal(operation.status, 'done', operation.error ?? '')
    const { note } = operation.steps.find(({ key }) => key === 'install')!
    assert.equal(note, 'The lock file does not match package.json, and was not changed.')
    assert.equal((await inside('curl', '-s', 'http://127.0.0.1:4103/')).output, 'false,production')
    assert.equal((await inside('cat', `${folder}/package-lock.json`)).output, lock)
    await inside('rm', '-r', `${folder}/tool`, `${folder}/node_modules`)
    const { error } = (await build()).operation
    assert.match(error!, /^npm (install|run).* failed: .*(error|Error)/)
  })

  test('all projects work after the instance reboots', async ({ assert }) => {
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

    const restart = { force: false, timeout: 300 }
    await (await machine.incus.instances.setState(system, 'restart', restart)).wait(400)
    await machine.isUp()
    await eventually(async () => {
      assert.include((await fetchSiteOnceServed(name('still'))).text, '<h1>still-back</h1>')
      assert.include(
        (await fetchSiteOnceServed(name('app'))).text,
        'This page is served by a Node process.'
      )
    })
  })
})
