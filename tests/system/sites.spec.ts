import { Domain, edgeHeaderPrefix, getTrustedEdge } from '#edge/public'
import { edgeSettings } from '#edge/settings'
import { runSteps } from '#core/operations/runner'
import { Project } from '#projects/public'
import { instanceLabels } from '#instances/containers/labels'
import { openHostPort } from '#instances/public_effects'
import { reconcileInstance } from '#instances/schedules/reconcile_instances'
import { updateWebServer } from '#projects/schedules/update_web_servers'
import { APACHE_DEFAULT_SITE_CONFIG, APACHE_TLS_PORT, edgeHeaders } from '#packages/apache/main'
import { removeContainer } from '#packages/incus/main'
import {
  edgeDispatcher,
  fetchSite,
  fetchSiteOnceServed,
  fetchSiteOverHttp,
  updateEdge,
} from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { FORGED_ADDRESS, forgedHeaderArgs, forgedHeaders } from '#tests/support/forged_headers'
import { makeStaff, signIn } from '#tests/support/people'
import { startSiteMachine, type SiteMachine, virtualHostFields } from '#tests/support/site_machine'
import db from '@adonisjs/lucid/services/db'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { importInstanceFromBackup } from '../../cli/backup/commands.js'
import type { Restic } from '../../cli/backup/restic.js'
import { request, WebSocket } from 'undici'

const socket = process.env.INCUS_SOCKET

/**
 * Apps as customers bring them: they upload files, and everything else must work with the settings in the console's
 * forms.
 */
test.group('Sites | apps of many kinds', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  if (!edgeSettings()) {
    test('skipped without Caddy', () => {}).skip(true, 'needs a Caddy: set EDGE_ADMIN')
    return
  }
  let machine: SiteMachine

  group.each.timeout(1_800_000)
  group.setup(async () => {
    machine = await startSiteMachine(socket, { disk: '8GiB' })
    return () => machine.close()
  })

  /** Removes everything that earlier tests and attempts left. Each test calls it first. */
  const startAnew = async () => {
    const mine = () => Project.query().where('serverInstanceId', machine.instance.id)
    for (const { id } of await mine().whereNot('status', 'deleted')) {
      await machine.call('/project/change-status', { id, status: 'deleted' })
    }
    await machine.inside('sh', '-c', 'rm -rf /var/www/public_html/*')
  }

  const offline = () => !machine.reached.npm
  const WHY = "the instance cannot reach npm's registry"

  /** Installs packages, builds and starts uploaded files, as the process form does. */
  const build = (name: string, port: number) =>
    machine.works('/project/pm2/start-new', {
      type: 'build',
      name,
      packageManager: 'npm',
      port,
      projectPath: name,
      server_instance_id: machine.instance.id,
    })
  /**
   * Sets a project's domain or port with the virtual host form. Returns the address that the project's page then
   * shows.
   */
  const serve = async (id: number, more: object) => {
    await machine.works('/project/update', { id, virtual_host: virtualHostFields(more) })
    return machine.addressOf(id)
  }
  const byPort = (port: number) => ({
    type: 'reverse_proxy',
    url_type: 'port',
    reverse_proxy_port: port,
  })
  const read = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers })
    return { status: answer.status, text: await answer.text() }
  }
  const listens = (port: number) =>
    eventually(async () => {
      const { output } = await machine.inside('ss', '-Hltn', `sport = :${port}`)
      if (!output) throw new Error(`Nothing listens on port ${port} yet`)
    })
  /** Checks that the form suggests the port on which the app was started. */
  const suggestsPort = async (assert: Assert, id: number, port: number) => {
    const { json } = await machine.visitor.get(`/project/${id}`)
    assert.containsSubset(json.data!.project, { app_port: port })
  }

  /** Requests a path exactly as written. `fetch` would normalize it. */
  const askRaw = (path: string, { host = 'localhost', port = 80, headers = {} } = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const at = { host: machine.instance.privateIp!, port, path, agent: false }
      get({ ...at, headers: { host, ...headers } }, (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, text }))
      }).on('error', reject)
    })

  /**
   * Returns a command that removes TLS from Apache and from a site. The result is like a site of a release before TLS
   * was added.
   */
  const withoutTls = (site: string) =>
    'cd /etc/apache2 && rm berth-tls.pem && echo ServerName localhost > conf-available/berth.conf && ' +
    `sed -i '/^<IfFile/,/^<.IfFile/d' sites-available/${site}.conf && systemctl restart apache2`

  test('an inactive project is unreachable, and responds again when it is active', async ({
    assert,
  }) => {
    await startAnew()
    const [shop, gone] = [
      await machine.store('static', 'shop'),
      await machine.store('static', 'gone'),
    ]
    const [front, preview] = [await machine.addressOf(shop), await machine.addressOf(gone)]
    await machine.inside('ln', '-s', '../gone', '/var/www/public_html/shop/way')
    const set = (id: number, status: string) =>
      machine.works('/project/change-status', { id, status })
    assert.include((await read(preview)).text, '<h1>gone</h1>')
    assert.include((await read(`${front}/way/index.html`)).text, '<h1>gone</h1>')

    await set(gone, 'inactive')
    await eventually(() => assert.rejects(() => read(preview)))
    assert.equal((await read(`${front}/way/index.html`)).status, 403)
    assert.include((await read(front)).text, '<h1>shop</h1>')
    await set(gone, 'active')
    assert.equal(await machine.addressOf(gone), preview)
    await eventually(async () => assert.include((await read(preview)).text, '<h1>gone</h1>'))

    // Domain whose site file is the first in alphabetical order.
    const name = `0-${machine.system}.example.com`
    await serve(gone, { url_type: 'subdomain', subdomain: name })
    await eventually(async () =>
      assert.include((await fetchSiteOnceServed(name)).text, '<h1>gone</h1>')
    )
    for (const host of ['localhost', 'nobody.example', machine.instance.ip!, '127.0.0.1', '']) {
      for (const path of ['/', '/gone/', '/shop/', '/shop/index.html', '/icons/', '/gone%2f']) {
        const { status, text } = await askRaw(path, { host })
        assert.equal(`${status} ${path}`, `404 ${path}`, `${host}: ${text}`)
      }
    }
    const staff = await signIn(await makeStaff())
    const { json } = await staff.post('/admin/project/change-status', {
      id: gone,
      status: 'suspended',
    })
    await runSteps((json.data as { operation_id: string }).operation_id)
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 404))
    for (const path of ['/', '/gone/', '/shop/', '/shop/.env']) {
      assert.equal((await fetchSiteOnceServed(name, path)).status, 404, path)
      assert.equal((await askRaw(path, { host: name })).status, 404, path)
    }
    assert.equal((await read(`${front}/way/index.html`)).status, 403)
    const start = { type: 'nonBuild', name: 'gone', projectPath: 'gone/deep', script: 'a.js' }
    const started = await machine.visitor.post('/project/pm2/start-new', {
      ...start,
      server_instance_id: machine.instance.id,
    })
    assert.equal(started.status, 409, started.text)

    // While a project is inactive, visitors cannot reach its folder, not even by links. They can still reach an active
    // project inside the folder.
    const outer = await machine.store('static', 'outer')
    const nested = { name: 'inner', path: 'outer/a/inner', stack: 'static' }
    const store = (fields: object) =>
      machine.works('/project/store', { server_instance_id: machine.instance.id, ...fields })
    const innerId = await store(nested)
    const inner = await machine.addressOf(innerId)
    const links =
      'ln -s ../.. outer/a/inner/up && ln -s ../../index.html outer/a/inner/page.html && ' +
      'ln -s ../outer shop/through && mkdir outer/storage outer/a/beside && cp outer/index.html outer/a/beside/ && ' +
      'setfacl -m u:www-data:rwx outer/storage && ln -s ../gone outer/trap && ' +
      'touch outer/config.php && setfacl -m u:www-data:rw- outer/config.php'
    const runShell = async (command: string) => {
      const { errors } = await machine.inside('sh', '-c', `cd /var/www/public_html && ${command}`)
      assert.equal(errors, '')
    }
    await runShell(links)
    const assertEntry = async (path: string, entry: string) => {
      const { output } = await machine.inside('getfacl', '-cp', `/var/www/public_html/${path}`)
      const line = output.split('\n').find((each) => each.startsWith('user:www-data:'))
      assert.equal(
        line?.slice('user:www-data:'.length, 'user:www-data:rwx'.length) ?? '',
        entry,
        path
      )
    }
    const ways = [
      `${inner}/up/index.html`,
      `${inner}/page.html`,
      `${inner}/up/a/beside/index.html`,
      `${front}/through/index.html`,
    ]
    for (const way of ways) assert.include((await read(way)).text, '<h1>outer</h1>', way)
    await set(outer, 'inactive')
    for (const again of [false, true]) {
      if (again) await updateWebServer(machine.instance, 'test')
      for (const way of ways) assert.equal((await read(way)).status, 403, way)
      assert.include((await read(inner)).text, '<h1>inner</h1>')
    }
    await set(outer, 'active')
    for (const way of ways) assert.include((await read(way)).text, '<h1>outer</h1>', way)
    await assertEntry('outer/storage', 'rwx')
    await assertEntry('outer/config.php', 'rw-')
    assert.equal((await read(`${front}/way/index.html`)).status, 403)

    // PHP can replace a folder in the inner project's path with a link to an inactive project.
    await runShell(
      'mkdir gone/inner gone/beside && setfacl -m u:www-data:--- gone/beside && mv outer/a outer/moved && ' +
        'ln -s ../gone outer/a'
    )
    await set(outer, 'inactive')
    await assertEntry('gone', '---')
    await runShell('rm outer/a && mv outer/moved outer/a')
    await updateWebServer(machine.instance, 'test')
    await assertEntry('outer/a/beside', '---')
    await runShell('mv outer/a outer/moved && ln -s ../gone outer/a')
    await set(outer, 'active')
    await assertEntry('gone', '---')
    await assertEntry('gone/beside', '---')
    assert.equal((await read(`${front}/way/index.html`)).status, 403)
    await runShell('rm outer/a && mv outer/moved outer/a && setfacl -x u:www-data outer/a/beside')

    // Deleting a project restores the ACL entries of the files in its folder. The folder itself stays closed.
    await set(outer, 'inactive')
    await assertEntry('outer/storage', '---')
    await set(innerId, 'deleted')
    await set(outer, 'deleted')
    await assertEntry('outer', '---')
    await assertEntry('outer/storage', 'rwx')

    // Three nested projects. The customer allowed PHP to write in the middle one.
    const levels: number[] = []
    for (const path of ['top', 'top/middle', 'top/middle/bottom']) {
      levels.push(await store({ name: path.replaceAll('/', '-'), path, stack: 'static' }))
    }
    const [top, middle, bottom] = levels as [number, number, number]
    await runShell('setfacl -m u:www-data:rwx top/middle && mkdir top/middle/beside')
    for (const id of levels) await set(id, 'inactive')
    await assertEntry('top/middle', '---')
    await set(bottom, 'active')
    await assertEntry('top/middle', 'rwx')
    await assertEntry('top/middle/beside', '---')
    await assertEntry('top/index.html', '---')
    const bottomAddress = await machine.addressOf(bottom)
    assert.include((await read(bottomAddress)).text, '<h1>top-middle-bottom</h1>')
    await set(middle, 'active')
    await assertEntry('top/middle', 'rwx')
    await assertEntry('top/middle/beside', '')
    await assertEntry('top/index.html', '---')
    await runShell('setfacl -x u:www-data top/middle')
    await set(bottom, 'inactive')
    await set(middle, 'inactive')
    await set(middle, 'active')
    await assertEntry('top/middle', '')
    await set(top, 'active')
    await assertEntry('top/index.html', '')
  }).skip(
    () => machine.instance.ip === '127.0.0.1',
    'this machine has no address that the kernel forwards for'
  )

  test('no site serves hidden files (names with a leading dot)', async ({ assert }) => {
    await startAnew()
    const id = await machine.store('static', 'shop')
    const output = ['page.txt', '.env', '.git/config'].map((file) => `.output/public/${file}`)
    const files = [
      '.env',
      '.env.bak',
      '.git/config',
      'sub/.htpasswd',
      '.well-known/a.txt',
      ...output,
    ]
    const write =
      'cd /var/www/public_html/shop && for f; do mkdir -p $(dirname $f); echo dotted > $f; done'
    const { errors } = await machine.inside('sh', '-c', write, 'sh', ...files)
    assert.equal(errors, '')
    // In their own configuration, customers may allow access again, but not to hidden files.
    const open =
      'Satisfy Any\nAllow from all\nRequire all granted\n<FilesMatch "^\\.">\nRequire all granted\n</FilesMatch>\n' +
      '<If "true">\nRequire all granted\n</If>\nRewriteEngine On\nRewriteRule ^pass$ .env [L]\n' +
      'RewriteRule ^wiki/ index.html [L]'
    await machine.upload('shop', { '.htaccess': open })
    const name = `dots-${machine.system}.example.com`
    await serve(id, { url_type: 'subdomain', subdomain: name })
    const of = async (path: string) => {
      const { status, text } = await askRaw(path, { host: name })
      return text.includes('dotted') ? 'served' : status
    }
    const hidden = [
      '/.env',
      '/%2eenv',
      '//.env',
      '/./.env',
      '/sub/../.env',
      '/.env/',
      '/.env.',
      '/.env.bak',
      '/.git/config',
      '/.git/config/',
      '/%2Egit/%63onfig',
      '/sub/.htpasswd',
      '/sub/%2ehtpasswd',
      '/.well-known/../.env',
      '/.well-known/%2e%2e/.env',
      '/.well-known/..%2f.env',
      '/pass',
      '/.ENV',
      '/.well-known/.env',
      '/index.html/.env',
      '/sub%2f.htpasswd',
      '/.svn/x',
      '/.ssh/x',
      '/.output/public/.env',
      '/.output/public/.git/config',
    ]
    await eventually(async () => assert.equal(await of('/.well-known/a.txt'), 'served'))
    for (const path of hidden) assert.oneOf(await of(path), [403, 404], path)
    // The public folder of a build can be the root of a site. Hidden files in that folder stay hidden.
    await serve(id, { url_type: 'subdomain', subdomain: name, entry_point: '.output/public' })
    await eventually(async () => assert.equal(await of('/page.txt'), 'served'))
    for (const path of ['/.env', '/.git/config', '/../../.env', '/..%2f..%2f.env'])
      assert.notEqual(await of(path), 'served', path)
    await serve(id, { url_type: 'subdomain', subdomain: name })
    await eventually(async () => assert.equal(await of('/.well-known/a.txt'), 'served'))
    // Paths that the customer's rewrite rules map to a page must work, because they name no file.
    for (const path of ['/wiki/.NET', '/wiki/.env', '/wiki/a/.git/x']) {
      assert.equal(await of(path), 200, path)
    }

    // Behind a proxy, hidden files stay hidden although this app would serve everything.
    const program = "require('node:http').createServer((_, to) => to.end('dotted')).listen(4600)"
    await machine.inside('systemd-run', '--unit=gives-all', 'node', '-e', program)
    const proxy = { type: 'reverse_proxy', url_type: 'subdomain', reverse_proxy_port: 4600 }
    await serve(id, { ...proxy, subdomain: name })
    await eventually(async () => assert.equal(await of('/x'), 'served'))
    for (const path of [...hidden.filter((one) => one !== '/pass'), '/.secret']) {
      assert.oneOf(await of(path), [403, 404], path)
    }
    const app = await machine.store('node', 'app')
    await serve(app, { ...proxy, subdomain: `app-${name}` })
    const ofApp = async (path: string) => (await askRaw(path, { host: `app-${name}` })).status
    await eventually(async () => assert.equal(await ofApp('/node_modules/.vite/deps/a.js'), 200))
    assert.equal(await ofApp('/owner/.gitignore'), 200)
    for (const path of [
      '/.env',
      '/a/.env.local',
      '/.git/config',
      '/%2egit/',
      '/a%2f.env',
      '/.npmrc',
    ]) {
      assert.equal(await ofApp(path), 403, path)
    }
    assert.equal(await ofApp('/server-status'), 403)
    await machine.inside('systemctl', 'stop', 'gives-all')
  })

  test('an instance of an earlier base image gets the new default site, unless its site was edited', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('static', 'old')
    const { previewPort } = await Project.findOrFail(id)
    const site = '/etc/apache2/sites-available/000-default.conf'
    const asBefore = async (text: string) => {
      await machine.incus.instances.pushFile(machine.system, site, text)
      await machine.incus.instances.pushFile(
        machine.system,
        '/etc/apache2/conf-available/berth.conf',
        'ServerName localhost\n'
      )
      await machine.inside(
        'sh',
        '-c',
        `rm -f /etc/apache2/sites-*/port_${previewPort}.conf; a2dismod -q remoteip; systemctl restart apache2`
      )
      await Project.query().where('id', id).update({ previewPort: null })
      assert.include((await askRaw('/old/')).text, '<h1>old</h1>')
      await updateWebServer(machine.instance, 'test')
      await eventually(async () => assert.equal((await askRaw('/old/')).status, 404))
      assert.include((await read(await machine.addressOf(id))).text, '<h1>old</h1>')
    }
    await asBefore(earlierDefaultSite)
    const isReplaced = `[ "$(cat ${site})" = '${APACHE_DEFAULT_SITE_CONFIG.trim()}' ]`
    assert.equal((await machine.inside('sh', '-c', isReplaced)).exitCode, 0)

    const edited = earlierDefaultSite.replace('<Directory', 'ServerAlias mine.example\n<Directory')
    await asBefore(edited)
    assert.equal((await machine.inside('cat', site)).output, edited.trim())
    assert.include((await askRaw('/old/', { host: 'mine.example' })).text, '<h1>old</h1>')
    const { length } = await db
      .from('audit_entries')
      .where({ action: 'project.default_site_edited', subject_id: String(machine.instance.id) })
    assert.equal(length, 1)
    await machine.incus.instances.pushFile(machine.system, site, APACHE_DEFAULT_SITE_CONFIG)
    await machine.inside('systemctl', 'reload', 'apache2')
  })

  test('PHP and the log see the visitor’s address and HTTPS, but only from the edge', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('php', 'seen')
    const keys =
      "['HTTPS', 'REQUEST_SCHEME', 'SERVER_PORT', 'REMOTE_ADDR', 'HTTP_X_REAL_IP', 'HTTP_X_FORWARDED_FOR', 'HTTP_X_FORWARDED_PROTO', 'HTTP_X_FORWARDED_HOST', 'HTTP_X_ORIGINAL_URL', 'HTTP_TRUE_CLIENT_IP']"
    await machine.upload('seen', {
      'index.php': `<?php foreach (${keys} as $key) echo $_SERVER[$key] ?? '-', ' ';
        foreach ($_SERVER as $key => $value) if (str_contains($key, 'BERTH')) echo $key;`,
      '.htaccess': 'RewriteEngine On\nRewriteRule ^pretty/.*$ index.php [L]',
      'sub/index.html': 'sub',
      'remote.php': '<?php echo $_SERVER["PATH_INFO"];',
    })
    const ip = machine.instance.ip!
    const forged = {
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=203.0.113.9;proto=https',
      'x-original-url': '/admin',
      'true-client-ip': '203.0.113.9',
    }
    const direct = await machine.addressOf(id)
    const port = new URL(direct).port
    for (const path of ['/dav/uploads/u/1/.file', '/dav/files/u/.git/config', '/.env']) {
      assert.equal((await read(`${direct}/remote.php${path}`)).text, path)
    }
    for (const headers of [{}, forged]) {
      // Waits, because PHP checks files for changes every two seconds.
      await eventually(async () => {
        const { text } = await read(direct, headers)
        assert.equal(text.trim(), `- http ${port} ${ip} ${ip} - - - - -`)
      })
    }

    const name = `seen-${machine.system}.example.com`
    await serve(id, { type: 'php', url_type: 'subdomain', subdomain: name })
    await fetchSiteOnceServed(name)
    const dispatcher = await edgeDispatcher(name, ip)
    const at = `https://${name}:${edgeSettings()!.httpsPort}`
    try {
      for (const path of ['/', '/pretty/page', '/index.php']) {
        for (const headers of [{}, { ...forged, 'x-forwarded-proto': 'http' }]) {
          const { body, headers: received } = await request(at + path, { dispatcher, headers })
          assert.equal((await body.text()).trim(), `on https 443 ${ip} ${ip} - https - - -`, path)
          assert.notInclude(JSON.stringify(received).toLowerCase(), 'berth')
        }
      }
      // Instances on the same machine as the console can also send from the edge's address, but they do not know its
      // secret.
      const { addresses, headerPrefix } = await getTrustedEdge(machine.instance)
      assert.lengthOf(addresses, 1)
      const believed = edgeHeaders(headerPrefix)
      const others = edgeHeaders(edgeHeaderPrefix(0))
      for (const path of ['/', '/pretty/page', '/index.php']) {
        const ask = async ({ addressHeader, schemeHeader }: typeof believed) => {
          const secret = { [addressHeader]: '203.0.113.8', [schemeHeader]: 'https' }
          return (await askRaw(path, { host: name, headers: { ...forged, ...secret } })).text.trim()
        }
        const seen = addresses[0]
        assert.match(await ask(others), new RegExp(`^- http 80 ${seen} ${seen} - - - - - `), path)
        assert.equal(
          await ask(believed),
          'on https 443 203.0.113.8 203.0.113.8 - https - - -',
          path
        )
      }
      const { headers } = await request(`${at}/sub`, { dispatcher })
      assert.match(String(headers.location), new RegExp(`^https://${name}`))
    } finally {
      await dispatcher.destroy()
    }
    const [bridge] = (await getTrustedEdge(machine.instance)).addresses
    const sentDirectly = [1, 2, 3].flatMap(() => [bridge, '203.0.113.8'])
    // Waits, because Apache logs a request after its response.
    await eventually(async () => {
      const { output } = await machine.inside('cat', `/var/log/apache2/project_${id}_access.log`)
      const logged = output.split('\n').map((line) => line.split(' ')[0])
      assert.deepEqual(logged.slice(-13), [...Array<string>(6).fill(ip), ...sentDirectly, ip])
    })
  }).skip(
    () => !machine.reached.debian || machine.instance.ip === '127.0.0.1',
    "the instance cannot reach Debian's packages, or the kernel does not forward to it"
  )

  test('an app gets the visitor’s address and scheme, which visitors can neither forge nor remove', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('node', 'told')
    const name = `told-${machine.system}.example.com`
    const program =
      "require('node:http').createServer(({ headers }, to) => to.end(JSON.stringify(headers))).listen(4610)"
    await machine.inside('systemd-run', '--unit=repeats', 'node', '-e', program)
    await listens(4610)
    const proxy = { type: 'reverse_proxy', url_type: 'subdomain', reverse_proxy_port: 4610 }
    await serve(id, { ...proxy, subdomain: name })
    await fetchSiteOnceServed(name)
    const told = (text: string) => {
      const headers = Object.entries(JSON.parse(text) as Record<string, string>)
      const about = /ip|forward|scheme|proto|https|client|visitor|berth/i
      return Object.fromEntries(headers.filter(([key]) => about.test(key)))
    }
    const expected = (address: string, host = name) => ({
      'x-real-ip': address,
      'x-forwarded-for': address,
      'x-forwarded-host': host,
      'x-forwarded-server': name,
    })
    const { addresses, headerPrefix } = await getTrustedEdge(machine.instance)
    const [seen] = addresses
    const forged = forgedHeaders('https', [])
    for (const connection of [
      'close',
      'X-Real-IP',
      'close;x-real-ip, X-Forwarded-For x-forwarded-host',
      'X-ReX-Real-IPal-IP',
    ]) {
      const { text } = await askRaw('/', { host: name, headers: { ...forged, connection } })
      assert.deepEqual(told(text), expected(seen), connection)
    }

    // If a request does not come from the edge's address, Apache must ignore the secret headers.
    const args = forgedHeaderArgs('https', [headerPrefix])
    const local = ['-s', '-H', `Host: ${name}`, 'http://127.0.0.1/']
    const { output } = await machine.inside('curl', ...args, ...local)
    assert.deepEqual(told(output), expected('127.0.0.1'))
    // From the edge's address, Apache believes the secret headers, and `Connection` cannot remove the scheme.
    const scheme = { 'x-forwarded-proto': 'https' }
    const believed = forgedHeaders('https', [headerPrefix])
    believed.connection = 'X-Forwarded-Proto'
    const { text } = await askRaw('/', { host: name, headers: believed })
    assert.deepEqual(told(text), Object.assign(expected(FORGED_ADDRESS), scheme))

    const ip = machine.instance.ip!
    const dispatcher = await edgeDispatcher(name, ip)
    try {
      const headers = forgedHeaders('http', [headerPrefix])
      const { host, href } = new URL(`https://${name}:${edgeSettings()!.httpsPort}/`)
      const { body } = await request(href, { dispatcher, headers })
      assert.deepEqual(told(await body.text()), Object.assign(expected(ip, host), scheme))
    } finally {
      await dispatcher.destroy()
    }
  }).skip(() => machine.instance.ip === '127.0.0.1', 'the kernel does not forward to the instance')

  test('a rule that forces HTTPS redirects HTTP requests, and does not loop behind the edge', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('static', 'forced')
    const name = `forced-${machine.system}.example.com`
    await serve(id, { url_type: 'subdomain', subdomain: name })
    const to = 'RewriteRule ^(.*)$ https://%{HTTP_HOST}%{REQUEST_URI} [L,R=301]'
    const rule = (condition: string) => `RewriteEngine On\nRewriteCond ${condition}\n${to}\n`
    const rules = [
      rule('%{HTTPS} off'),
      rule('%{HTTPS} !=on'),
      rule('%{SERVER_PORT} ^80$'),
      rule('%{REQUEST_SCHEME} !https'),
      rule('%{HTTP:X-Forwarded-Proto} !https'),
      `<If "%{HTTPS} == 'off'">\nRedirect permanent / https://${name}/\n</If>\n`,
      'SSLRequireSSL\n',
      `SetEnvIf X-Forwarded-Proto https secure\n${rule('%{ENV:secure} !1')}`,
    ]
    const forged = {
      'x-forwarded-proto': 'https',
      'x-forwarded-ssl': 'on',
      'front-end-https': 'on',
    }
    const holds = async () => {
      for (const text of rules) {
        await machine.upload('forced', { '.htaccess': text })
        const answer = await fetchSiteOnceServed(name)
        assert.equal(answer.status, 200, text)
        assert.include(answer.text, '<h1>forced</h1>')
        const refused = text.startsWith('SSL') ? 403 : 301
        assert.equal((await askRaw('/', { host: name })).status, refused, text)
        // The test sends from the edge's address, as instances on the console's machine can.
        assert.equal((await askRaw('/', { host: name, headers: forged })).status, refused, text)
      }
    }
    await holds()

    // Makes the site look as if an earlier release had set it up.
    assert.equal((await machine.inside('sh', '-c', withoutTls(name))).errors, '')
    await Domain.query().where('subdomain', name).update({ tlsPort: null })
    await machine.upload('forced', { '.htaccess': rules[0] })
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 301))
    await updateWebServer(machine.instance, 'test')
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 200))

    // Another program of the customer uses the port that TLS needs.
    const program = "require('node:http').createServer(() => {}).listen(943)"
    await machine.inside('sh', '-c', 'rm /etc/apache2/berth-tls.pem; systemctl restart apache2')
    await machine.inside('systemd-run', '--unit=takes-port', 'node', '-e', program)
    await listens(943)
    await assert.rejects(
      () => updateWebServer(machine.instance, 'test'),
      /Another program uses port 943/
    )
    assert.equal((await askRaw('/', { host: name })).status, 301)
    await machine.inside('systemctl', 'stop', 'takes-port')
    await updateWebServer(machine.instance, 'test')
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 200))
  })

  test('additional domains serve the site or redirect to the primary domain, and end with the project', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('static', 'named')
    const main = `named-${machine.system}.example.com`
    const [www, shop] = [`www.${main}`, `shop.${main}`]
    const other = (redirected: string, served: string) => [
      { name: redirected, use: 'redirect' },
      { name: served, use: 'serve' },
    ]
    const host = { url_type: 'subdomain', subdomain: main, other_names: other(www, shop) }
    await serve(id, host)
    for (const name of [main, www, shop])
      assert.include([200, 308], (await fetchSiteOnceServed(name)).status)
    const port = edgeSettings()!.httpsPort
    const to = (name: string) => `https://${name}${port === 443 ? '' : `:${port}`}/a?b=c`
    const reaches = (redirected: string, served: string[], target: string) =>
      eventually(async () => {
        for (const name of [redirected, ...served]) await updateEdge(name)
        for (const name of served) {
          assert.include((await fetchSite(name)).text, '<h1>named</h1>')
          assert.equal((await fetchSiteOverHttp(name, '/a?b=c')).location, to(name))
        }
        assert.equal((await fetchSite(redirected)).status, 308)
        assert.equal((await fetchSiteOverHttp(redirected, '/a?b=c')).location, to(target))
      })
    await reaches(www, [main, shop], main)

    // Exchanges the primary domain and a domain that redirects to it.
    await serve(id, { ...host, subdomain: www, other_names: other(main, shop) })
    await reaches(main, [www, shop], www)
    await serve(id, { ...host, https_redirect: false })
    await eventually(async () => {
      await updateEdge()
      assert.include((await fetchSiteOverHttp(main)).text, '<h1>named</h1>')
      assert.equal((await fetchSiteOverHttp(www, '/a?b=c')).location, `http://${main}/a?b=c`)
    })

    await machine.works('/project/change-status', { id, status: 'inactive' })
    await eventually(async () => {
      await updateEdge()
      for (const name of [main, www, shop]) assert.equal((await fetchSite(name)).status, 404, name)
    })
    await machine.works('/project/change-status', { id, status: 'active' })
    await serve(id, { ...host, other_names: [] })
    assert.isNull(await Domain.findBy('subdomain', www))
    await serve(id, host)
    await machine.works('/project/change-status', { id, status: 'deleted' })
    assert.lengthOf(await Domain.query().whereIn('subdomain', [main, www, shop]), 0)
  })

  test('a restored instance serves only the sites of its records', async ({ assert, cleanup }) => {
    await startAnew()
    const { incus, system, instance } = machine
    const id = await machine.store('static', 'back')
    const name = `back-${system}.example.com`
    await serve(id, { url_type: 'subdomain', subdomain: name })
    const to = 'RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [L,R=301]'
    await machine.upload('back', {
      '.htaccess': `RewriteEngine On\nRewriteCond %{HTTPS} off\n${to}\n`,
    })
    assert.equal((await fetchSiteOnceServed(name)).status, 200)
    // The project `older` is deleted before the backup. A program that the owner then starts in its folder must survive
    // the restore.
    await incus.instances.patch(system, { config: await instanceLabels(instance.id) })
    await reconcileInstance(instance.id, system, incus)
    const older = await machine.store('static', 'older')
    await machine.works('/project/change-status', { id: older, status: 'deleted' })
    const pm2 = (...argv: string[]) =>
      machine.inside('runuser', '-l', 'berth', '-c', ['pm2', ...argv].join(' '))
    await machine.inside('mkdir', '-p', '/var/www/public_html/older')
    const byHand = [
      'start',
      '/bin/sleep',
      '--name',
      'by-hand',
      '--cwd',
      '/var/www/public_html/older',
    ]
    await pm2(...byHand, '--', 'infinity')
    await pm2('save')
    const gone = await machine.store('static', 'gone')
    const late = await machine.store('static', 'late')
    await machine.addressOf(gone)
    const { previewPort } = await Project.findOrFail(gone)

    // Simulates a restored backup: with a smaller disk, and with a web server that an earlier release set up.
    const disk = 8 * 1024 ** 3
    const { root } = (await incus.instances.get(system)).devices
    await incus.instances.patch(system, { devices: { root: { ...root!, size: String(disk) } } })
    await instance
      .merge({ vcpu: 2, memoryBytes: 2 * 1024 ** 3, diskBytes: disk + 1024 ** 3 })
      .save()
    assert.equal((await machine.inside('sh', '-c', withoutTls(name))).errors, '')
    await (await incus.instances.createBackup(system, 'test')).wait(900)
    const { content } = await incus.instances.exportBackup(system, 'test')
    const file = join(await mkdtemp(join(tmpdir(), 'berth-export-')), 'instance.tar')
    cleanup(() => rm(dirname(file), { recursive: true, force: true }))
    await pipeline(content, createWriteStream(file))
    await (await incus.instances.deleteBackup(system, 'test')).wait(300)

    await updateWebServer(instance, 'test')
    assert.equal((await Domain.findByOrFail('subdomain', name)).tlsPort, APACHE_TLS_PORT)
    await machine.works('/project/change-status', { id: gone, status: 'deleted' })
    const later = await openHostPort(await instance.refresh(), 8_081)
    await removeContainer(incus, system)
    const dump = (_id: string, _path: string, into: NodeJS.WritableStream) =>
      pipeline(createReadStream(file), into)
    const snapshot = { id: 'one', tags: { name: system, at: '', kind: 'instance' }, time: '' }
    await importInstanceFromBackup(incus, { dump } as unknown as Restic, snapshot)

    // If one port is in use on the host, the other settings must be applied nevertheless.
    const listener = createServer().listen(later, instance.ip!)
    cleanup(() => void listener.close())
    await once(listener, 'listening')
    const unapplied = await reconcileInstance(instance.id, system, incus)
    assert.deepEqual(
      unapplied.map(({ part }) => part),
      ['ports']
    )
    assert.notProperty((await incus.instances.get(system)).devices, 'port-8081')
    listener.close()
    assert.deepEqual(await reconcileInstance(instance.id, system, incus), [])
    const { devices } = await incus.instances.get(system)
    assert.isTrue(devices['port-8081']?.listen?.endsWith(`:${later}`))
    assert.notProperty(devices, `port-${previewPort}`)
    assert.equal(devices.root!.size, String(disk + 1024 ** 3))
    assert.isNull((await Domain.findByOrFail('subdomain', name)).tlsPort)
    await (await incus.instances.setState(system, 'start')).wait(300)
    await machine.isUp()
    await reconcileInstance(instance.id, system, incus)
    // Until the web server is set up again, sites use plain HTTP.
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 301))
    const [due] = await db.from('web_servers').where('server_instance_id', instance.id)
    assert.match(due.version, /^restored 20/)
    await pm2('resurrect')
    // A backup made at this moment would still contain the site of `gone`. So deleting another project must not change
    // the time in `user.berth.applied.at`.
    await machine.works('/project/change-status', { id: late, status: 'deleted' })
    const appliedAt = async () =>
      (await incus.instances.get(system)).config['user.berth.applied.at']!
    assert.equal(`restored ${await appliedAt()}`, due.version)
    const began = new Date().toISOString()
    await updateWebServer(instance, 'test')
    assert.isAtLeast(Date.parse(await appliedAt()), Date.parse(began))
    await eventually(async () => assert.equal((await fetchSiteOnceServed(name)).status, 200))
    const enabled = (await machine.inside('ls', '/etc/apache2/sites-enabled')).output
    assert.notInclude(enabled, `port_${previewPort}`)
    const found = { action: 'instance.found_restored', subject_id: String(instance.id) }
    assert.lengthOf(await db.from('audit_entries').where(found), 1)
    // The audit log names the project `gone`. The deletion of `older` is not repeated, because the backup already
    // contains it.
    const closings = await db
      .from('audit_entries')
      .where({ action: 'project.closed_after_restore', account_id: instance.accountId })
    assert.deepEqual(
      closings.map((entry) => Number(entry.subject_id)),
      [gone]
    )
    assert.include((await pm2('jlist')).output, '"name":"by-hand"')
    await pm2('delete', 'by-hand')
  })

  test('an Express app behind npm start responds at its own port of the host', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('node', 'shop')
    await machine.upload('shop', express)
    await build('shop', 4310)
    await suggestsPort(assert, id, 4310)
    const address = await serve(id, byPort(4310))
    assert.match(address, new RegExp(`^http://${machine.instance.ip}:\\d+$`))
    assert.include((await read(address)).text, 'Express answers')
    // Apache needs no site file for this project, and the list shows its address too.
    assert.equal(
      (await machine.inside('ls', '/etc/apache2/sites-enabled')).output,
      '000-default.conf'
    )
    const { json } = await machine.visitor.get('/project/list?search=shop')
    assert.containsSubset(json.data!.projects, [{ addresses: [{ url: address, status: null }] }])

    const other = await machine.store('static', 'beside')
    const taken = {
      id: other,
      virtual_host: virtualHostFields({ url_type: 'port', url_port: 4310 }),
    }
    const refused = await machine.visitor.post('/project/update', taken)
    assert.deepEqual(Object.keys(refused.json.errors!), ['url_port'])

    await machine.works('/project/change-status', { id, status: 'deleted' })
    await assert.rejects(() => read(address))
    await machine.instance.refresh()
    assert.notProperty(machine.instance.ports, '4310')
  }).skip(offline, WHY)

  test('an app that needs DATABASE_URL responds after it gets one', async ({ assert }) => {
    await startAnew()
    const id = await machine.store('node', 'needy')
    await machine.upload('needy', {
      'server.js': `const { host, pathname } = new URL(process.env.DATABASE_URL)
require('node:http').createServer((_, to) => to.end(host + pathname)).listen(4350)`,
    })
    const start = () =>
      machine.call('/project/pm2/start-new', {
        type: 'nonBuild',
        name: 'needy',
        projectPath: 'needy',
        script: 'server.js',
        server_instance_id: machine.instance.id,
      })
    assert.equal((await start()).operation.status, 'failed')
    const variables = [{ name: 'DATABASE_URL', value: 'mysql://shop:secret@db.internal/orders' }]
    const saved = await machine.visitor.post('/project/pm2/environment', {
      project_id: id,
      variables,
    })
    assert.equal(saved.status, 200, saved.text)
    const { operation } = await start()
    assert.equal(operation.status, 'done', operation.error ?? '')
    const address = await serve(id, byPort(4350))
    assert.equal((await read(address)).text, 'db.internal/orders')
  }).skip(
    () => machine.instance.ip === '127.0.0.1',
    'this machine has no address that the kernel forwards for'
  )

  test('an app that listens only on localhost is not shown as reachable', async ({ assert }) => {
    await startAnew()
    const id = await machine.store('node', 'deaf')
    await machine.upload('deaf', {
      'server.js': `require('node:http').createServer((_, to) => to.end('deaf')).listen(4320, '127.0.0.1')`,
    })
    await machine.works('/project/pm2/start-new', {
      type: 'nonBuild',
      name: 'deaf',
      projectPath: 'deaf',
      script: 'server.js',
      server_instance_id: machine.instance.id,
    })
    await listens(4320)
    const body = { id, virtual_host: virtualHostFields(byPort(4320)) }
    const { operation } = await machine.call('/project/update', body)
    assert.equal(operation.status, 'failed')
    assert.include(operation.error!, 'listens only on 127.0.0.1')
    await machine.instance.refresh()
    assert.notProperty(machine.instance.ports, '4320')
  }).skip(
    () => machine.instance.ip === '127.0.0.1',
    'this machine has no address that the kernel forwards for'
  )

  test('encoded slashes, WebSockets and event streams reach an app behind a domain', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('node', 'registry')
    await machine.upload('registry', express)
    await build('registry', 4330)
    const name = `registry-${machine.system}.example.com`
    const address = await serve(id, {
      type: 'reverse_proxy',
      url_type: 'subdomain',
      reverse_proxy_port: 4330,
      subdomain: name,
    })
    assert.equal(address, `http://${name}`)
    await eventually(async () =>
      assert.include((await fetchSiteOnceServed(name)).text, 'Express answers')
    )
    await eventually(async () => {
      await updateEdge(name)
      assert.equal(await machine.addressOf(id), `https://${name}`)
    })
    const path = '/packages/@scope%2Fname%20of/%E2%9C%93?tag=a%2Fb'
    const seen = JSON.parse((await fetchSiteOnceServed(name, path)).text) as object
    assert.deepEqual(seen, { url: path, name: '@scope/name of' })
    assert.equal((await fetchSiteOnceServed(name, '/assets/x.js')).status, 404)
    const headers = JSON.parse((await fetchSiteOnceServed(name, '/headers')).text) as object
    assert.containsSubset(headers, {
      host: `${name}:${edgeSettings()!.httpsPort}`,
      'x-real-ip': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
    })
    assert.notInclude(JSON.stringify(headers), 'x-berth')

    const dispatcher = await edgeDispatcher(name)
    const at = `${name}:${edgeSettings()!.httpsPort}`
    try {
      // Requests the second event only after the first has arrived. A proxy that buffers would deliver neither.
      const events = await request(`https://${at}/events`, { dispatcher })
      const chunks = events.body[Symbol.asyncIterator]()
      const next = async () => String((await chunks.next()).value)
      assert.include(await next(), 'data: first')
      await request(`https://${at}/ring`, { dispatcher, method: 'POST' })
      assert.include(await next(), 'data: rung')
      events.body.destroy()

      const wire = new WebSocket(`wss://${at}/wire`, { dispatcher })
      const said = await new Promise((resolve, reject) => {
        wire.addEventListener('open', () => wire.send('over the wire'))
        wire.addEventListener('message', ({ data }) => resolve(data))
        wire.addEventListener('error', ({ error }) => reject(error))
      })
      assert.equal(said, 'heard: over the wire')
      wire.close()
    } finally {
      await dispatcher.destroy()
    }
    await machine.works('/project/change-status', { id, status: 'deleted' })
    assert.isNull(await Domain.findBy('subdomain', name))
  }).skip(offline, WHY)

  test('a NestJS app is compiled and responds at its port', async ({ assert }) => {
    await startAnew()
    const id = await machine.store('node', 'nest')
    await machine.upload('nest', nest)
    await build('nest', 4340)
    const address = await serve(id, byPort(4340))
    assert.equal((await read(`${address}/cats/7`)).text, 'Nest knows cat 7')
  }).skip(offline, WHY)

  test('a single-page Vite app serves deep links, and returns 404 for missing files', async ({
    assert,
  }) => {
    await startAnew()
    const id = await machine.store('node', 'spa')
    await machine.upload('spa', vite)
    await build('spa', 4350)
    const preview = await serve(id, byPort(4350))
    const { text } = await read(preview)
    assert.include(text, '<div id="app">')
    const script = /src="([^"]+\.js)"/.exec(text)![1]

    const built = { type: 'node', url_type: 'port', url_port: 8350, entry_point: 'dist' }
    const address = await serve(id, built)
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const shown = async (path: string, headers: Record<string, string> = {}) => {
      const { status, text } = await read(address + path, headers)
      return `${status} ${text.includes('<div id="app">') ? 'app' : 'other'}`
    }
    await eventually(async () => assert.equal(await shown('/'), '200 app'))
    assert.equal(await shown('/orders/7', browser), '200 app')
    assert.equal(await shown('/orders/7'), '200 app')
    assert.equal(await shown('/people/john.doe', browser), '200 app')
    assert.equal(await shown(script), '200 other')
    assert.equal(await shown('/assets/x.js'), '404 other')
    assert.equal(await shown('/assets/x.js', browser), '404 other')
    assert.equal(await shown('/api/orders', { accept: 'application/json' }), '404 other')
    assert.equal(await shown('/api', { 'sec-fetch-dest': 'empty', accept: '*/*' }), '404 other')
    const sent = await fetch(`${address}/orders/7`, { method: 'POST', headers: browser })
    assert.notEqual(sent.status, 200)
  }).skip(offline, WHY)
})

/** Default site that base images had until November 2026. */
const earlierDefaultSite = `<VirtualHost *:80>
\tDocumentRoot /var/www/public_html
\t<Directory /var/www/public_html>
\t\tAllowOverride All
\t\tOptions FollowSymLinks
\t\tRequire all granted
\t</Directory>
\tErrorLog \${APACHE_LOG_DIR}/error.log
\tCustomLog \${APACHE_LOG_DIR}/access.log combined
</VirtualHost>
`

const json = (value: object) => JSON.stringify(value, null, 2)

/** Serves pages, package paths like a registry's, an event stream and a WebSocket. Needs no build. */
const express = {
  'package.json': json({
    private: true,
    scripts: { start: 'node server.js' },
    dependencies: { express: '5.1.0', ws: '8.18.3' },
  }),
  'server.js': `const express = require('express')
const { createServer } = require('node:http')
const { WebSocketServer } = require('ws')

const app = express()
const listeners = new Set()
app.get('/', (_request, response) => response.send('<h1>Express answers</h1>'))
app.get('/packages/:name/:rest', ({ originalUrl, params }, response) =>
  response.json({ url: originalUrl, name: params.name })
)
app.get('/headers', ({ headers }, response) => response.json(headers))
app.get('/events', (request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: first\\n\\n')
  listeners.add(response)
  request.on('close', () => listeners.delete(response))
})
app.post('/ring', (_request, response) => {
  for (const listener of listeners) listener.write('data: rung\\n\\n')
  response.end()
})
const server = createServer(app)
new WebSocketServer({ server, path: '/wire' }).on('connection', (wire) =>
  wire.on('message', (words) => wire.send('heard: ' + words))
)
server.listen(process.env.PORT)
`,
}

const nest = {
  'package.json': json({
    private: true,
    scripts: { build: 'tsc', start: 'node dist/main.js' },
    dependencies: {
      '@nestjs/common': '11.1.6',
      '@nestjs/core': '11.1.6',
      '@nestjs/platform-express': '11.1.6',
      'reflect-metadata': '0.2.2',
      rxjs: '7.8.2',
    },
    devDependencies: { typescript: '5.9.2', '@types/node': '24.3.0' },
  }),
  'tsconfig.json': json({
    compilerOptions: {
      target: 'es2022',
      module: 'commonjs',
      moduleResolution: 'node',
      outDir: 'dist',
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      skipLibCheck: true,
    },
    include: ['src'],
  }),
  'src/main.ts': `import 'reflect-metadata'
import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

@Controller('cats')
class CatsController {
  @Get(':id')
  show(@Param('id') id: string) {
    return 'Nest knows cat ' + id
  }
}

@Module({ controllers: [CatsController] })
class AppModule {}

void NestFactory.create(AppModule).then((app) => app.listen(process.env.PORT!))
`,
}

const vite = {
  'package.json': json({
    private: true,
    type: 'module',
    scripts: { build: 'vite build', start: 'vite preview --host 0.0.0.0 --port $PORT' },
    devDependencies: { vite: '7.1.3' },
  }),
  'index.html': `<!doctype html>
<title>One page</title>
<div id="app"></div>
<script type="module" src="/main.js"></script>
`,
  'main.js': `document.querySelector('#app').textContent = 'You are at ' + location.pathname
`,
}
