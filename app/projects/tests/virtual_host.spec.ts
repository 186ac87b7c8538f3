import { maxPhpWorkers, phpSettingsOf, renderPool } from '#projects/virtual_host/php_pool'
import { renderSite } from '#projects/virtual_host/render_site'
import { virtualHostValidator } from '#projects/validators/virtual_host'
import { apacheSiteFileName } from '#projects/virtual_host/virtual_host_types'
import { starterFiles } from '#projects/starter_files'
import { processValidator } from '#projects/validators/project'
import { test } from '@japa/runner'
import { errors } from '@vinejs/vine'

const sent = {
  type: 'php',
  url_type: 'subdomain',
  server_admin: 'admin@example.com',
  entry_point: 'public',
  subdomain: 'Shop.Example.com',
}

async function fieldsOf(validation: Promise<unknown>): Promise<string[]> {
  try {
    await validation
    return []
  } catch (error) {
    if (!(error instanceof errors.E_VALIDATION_ERROR)) throw error
    return (error.messages as { field: string }[]).map(({ field }) => field)
  }
}

const parse = (host: unknown) => virtualHostValidator.validate(host)

test.group('Projects | virtual host', () => {
  test('renders a PHP site on a domain', async ({ assert }) => {
    const virtualHost = await parse(sent)
    assert.equal(apacheSiteFileName(virtualHost), 'shop.example.com.conf')
    assert.equal(
      renderSite({ id: 7, path: 'sites/shop', stack: 'php', virtualHost, phpVersion: '8.4' }),
      `# Berth project 7. Changes made here are overwritten.
<VirtualHost *:80>
  ServerName shop.example.com
  ServerAdmin admin@example.com
  AllowEncodedSlashes NoDecode
  DocumentRoot "/var/www/public_html/sites/shop/public"
  <Directory "/var/www/public_html/sites/shop/public">
    Options -Indexes +FollowSymLinks
    AllowOverride All
    Require all granted
  </Directory>
  DirectoryIndex index.php index.html
  ProxyTimeout 300
  <FilesMatch "\\.ph(ar|p|tml)$">
    SetHandler "proxy:unix:/run/php/berth-7-8.4.sock|fcgi://localhost"
  </FilesMatch>
  ErrorLog \${APACHE_LOG_DIR}/project_7_error.log
  CustomLog \${APACHE_LOG_DIR}/project_7_access.log combined
</VirtualHost>
<IfFile "/etc/apache2/berth-tls.pem">
<VirtualHost *:943>
  ServerName shop.example.com:443
  SSLEngine on
  SSLCertificateFile /etc/apache2/berth-tls.pem
  ServerAdmin admin@example.com
  AllowEncodedSlashes NoDecode
  DocumentRoot "/var/www/public_html/sites/shop/public"
  <Directory "/var/www/public_html/sites/shop/public">
    Options -Indexes +FollowSymLinks
    AllowOverride All
    Require all granted
  </Directory>
  DirectoryIndex index.php index.html
  ProxyTimeout 300
  <FilesMatch "\\.ph(ar|p|tml)$">
    SetHandler "proxy:unix:/run/php/berth-7-8.4.sock|fcgi://localhost"
  </FilesMatch>
  ErrorLog \${APACHE_LOG_DIR}/project_7_error.log
  CustomLog \${APACHE_LOG_DIR}/project_7_access.log combined
</VirtualHost>
</IfFile>
# End of Berth project
`
    )
  })

  test('renders a static site on a port', async ({ assert }) => {
    const virtualHost = await parse({
      type: 'static',
      url_type: 'port',
      server_admin: 'admin@example.com',
      entry_point: '',
      url_port: '8080',
    })
    assert.equal(apacheSiteFileName(virtualHost), 'port_8080.conf')
    const text = renderSite({ id: 8, path: 'docs', stack: 'static', virtualHost })
    assert.include(text, 'Listen 8080\n<VirtualHost *:8080>\n  ServerAdmin')
    assert.include(text, 'DocumentRoot "/var/www/public_html/docs"\n')
    assert.notInclude(text, 'ServerName')
  })

  test('renders a reverse proxy on a domain', async ({ assert }) => {
    const virtualHost = await parse({
      type: 'reverse_proxy',
      url_type: 'subdomain',
      server_admin: 'admin@example.com',
      subdomain: 'app.example.com',
      reverse_proxy_port: 3000,
      entry_point: 'ignored',
    })
    const text = renderSite({ id: 9, path: 'app', stack: 'node', virtualHost })
    assert.include(
      text,
      '  ProxyPass / http://127.0.0.1:3000/ nocanon upgrade=websocket flushpackets=on\n'
    )
    assert.include(text, '  AllowEncodedSlashes NoDecode\n')
    assert.include(text, '  ProxyPreserveHost On\n')
    assert.notInclude(text, 'DocumentRoot')
  })

  test('a single-page app falls back to its first page, but not before that page exists', async ({
    assert,
  }) => {
    const wanted = { ...sent, type: 'node', entry_point: 'dist' }
    const text = renderSite({
      id: 9,
      path: 'spa',
      stack: 'static',
      virtualHost: await parse(wanted),
    })
    assert.include(text, '    RewriteCond %{REQUEST_URI} !=/index.html\n')
    assert.include(text, '    RewriteRule ^ /index.html [L]\n  </Directory>\n')
    const plain = await parse({ ...wanted, type: 'static' })
    assert.notInclude(
      renderSite({ id: 9, path: 'spa', stack: 'static', virtualHost: plain }),
      'index.html'
    )
  })

  test('an app at its own port needs no Apache site', async ({ assert }) => {
    const virtualHost = await parse({
      type: 'reverse_proxy',
      url_type: 'port',
      server_admin: 'admin@example.com',
      reverse_proxy_port: 3000,
    })
    assert.isNull(apacheSiteFileName(virtualHost))
  })

  test('each site has its own PHP-FPM pool, rendered from whole numbers only', async ({
    assert,
  }) => {
    const wanted = { ...sent, php_upload_mb: '128', php_memory_mb: 512, php_seconds: '' }
    const virtualHost = await parse({ ...wanted, php_version: '8.4' })
    assert.equal(
      renderPool(7, '8.4', { host: virtualHost, workers: 8 }),
      `; Berth project 7. Changes made here are overwritten.
[berth-7]
user = www-data
group = www-data
listen = /run/php/berth-7-8.4.sock
listen.owner = www-data
listen.group = www-data
pm = ondemand
pm.max_children = 8
pm.process_idle_timeout = 30s
php_value[upload_max_filesize] = 128M
php_value[post_max_size] = 136M
php_value[memory_limit] = 512M
php_value[max_execution_time] = 60
; End of Berth project
`
    )
    const slow = await parse({ ...wanted, php_seconds: 3600 })
    const site = renderSite({
      id: 7,
      path: 'shop',
      stack: 'php',
      virtualHost: slow,
      phpVersion: '8.4',
    })
    assert.include(site, 'ProxyTimeout 3630\n')
    const odd = { ...virtualHost, php_memory_mb: '1M\nuser = root' as unknown as number }
    const render = (version: string, host: typeof virtualHost, workers = 3) =>
      renderPool(7, version, { host, workers })
    assert.throws(() => render('8.4', odd), /is not allowed in/)
    assert.throws(() => render('8.4', virtualHost, 1.5), /is not allowed in/)
    assert.throws(() => render('8.4\n[x]', virtualHost), /is not a version/)
  })

  test('half of the instance’s memory limits the simultaneous PHP requests of a site', ({
    assert,
  }) => {
    const workersByMemoryMb: [number | null, number][] = [
      [null, 3],
      [256, 3],
      [512, 4],
      [1000, 7],
      [1024, 8],
      [4096, 32],
      [16_384, 40],
    ]
    for (const [memory, workers] of workersByMemoryMb) {
      assert.equal(maxPhpWorkers(memory && memory * 1024 ** 2), workers, `${memory} MB`)
    }
  })

  test('a static site stores no PHP settings, and missing settings have the defaults', async ({
    assert,
  }) => {
    const { php_upload_mb: kept } = await parse({
      ...sent,
      type: 'static',
      php_upload_mb: 5,
    })
    assert.isUndefined(kept)
    const usual = { php_upload_mb: 64, php_memory_mb: 256, php_seconds: 60, php_version: null }
    assert.containsSubset(await parse(sent), usual)
    assert.deepEqual(phpSettingsOf(await parse({ ...sent, type: 'static' })), usual)
  })

  const base = { ...sent, url_port: 8080, reverse_proxy_port: 3000 }
  const ends = ['x\n</VirtualHost>', 'x\rx', 'x}', 'x<x', 'x"', "x'", 'x x', 'x\\x', 'x;x', 'x#x']
  const rows: [string, string | number, object][] = [
    ...ends.flatMap((text): [string, string, object][] => [
      ['subdomain', `${text}.example.com`, {}],
      ['subdomain', `example.com${text.slice(1)}`, {}],
      ['server_admin', `${text}@example.com`, {}],
      ['server_admin', `admin@example.com${text.slice(1)}`, {}],
      ['entry_point', text, {}],
      ['url_port', `80${text.slice(1)}`, { url_type: 'port' }],
      ['reverse_proxy_port', `30${text.slice(1)}`, { type: 'reverse_proxy' }],
    ]),
    ['subdomain', 'a.com\nInclude /etc/shadow', {}],
    ['subdomain', 'a.com b.com', {}],
    ['subdomain', '*.example.com', {}],
    ['subdomain', '127.0.0.1', {}],
    ['subdomain', '${APACHE_LOG_DIR}.com', {}],
    ['subdomain', '%{HTTP_HOST}.com', {}],
    ['subdomain', 'localhost', {}],
    ['subdomain', '', {}],
    ['server_admin', 'admin@example.com\nLoadModule x y', {}],
    ['server_admin', '', {}],
    ['entry_point', '../../../etc', {}],
    ['entry_point', 'a/../..', {}],
    ['entry_point', '/var/www', {}],
    ['entry_point', 'public"\nAlias / /', {}],
    ['entry_point', '.git', {}],
    ['entry_point', '.output', {}],
    ['entry_point', '.next', {}],
    ['entry_point', '.output/public/.git', {}],
    ['entry_point', '.output/../.git', {}],
    ['entry_point', '.output/publication', {}],
    ['entry_point', 'public/.env', {}],
    ['entry_point', '.ssh', {}],
    ['url_port', '0', { url_type: 'port' }],
    ['url_port', '65536', { url_type: 'port' }],
    ['url_port', '8080\nListen 25', { url_type: 'port' }],
    ['url_port', '22', { url_type: 'port' }],
    ['url_port', '80', { url_type: 'port' }],
    ['url_port', '0x1F90', { url_type: 'port' }],
    ['url_port', '1e4', { url_type: 'port' }],
    ['reverse_proxy_port', ' 8080', { type: 'reverse_proxy' }],
    ['php_seconds', '1e2', {}],
    ['reverse_proxy_port', '3000/ http://other', { type: 'reverse_proxy' }],
    ['reverse_proxy_port', '80', { type: 'reverse_proxy' }],
    ['php_upload_mb', '0', {}],
    ['php_upload_mb', 0, {}],
    ['php_upload_mb', '1025', {}],
    ['php_upload_mb', '64M', {}],
    ['php_upload_mb', '64\nphp_admin_value[x] = 1', {}],
    ['php_memory_mb', '31', {}],
    ['php_memory_mb', '-1', {}],
    ['php_memory_mb', '4097', {}],
    ['php_seconds', '0', {}],
    ['php_seconds', '3601', {}],
    ['php_version', '8.4\n[www]', {}],
    ['php_version', '../8', {}],
    ['type', 'constructor', {}],
    ['url_type', '__proto__', {}],
  ]

  test('{$i}: a value that would end its line is rejected')
    .with(rows)
    .run(async ({ assert }, [field, value, more]) => {
      const fields = await fieldsOf(parse({ ...base, ...more, [field]: value }))
      assert.include(fields, field, JSON.stringify(value))
    })

  test('values that are not strings are rejected too', async ({ assert }) => {
    for (const value of [null, {}, ['a.com'], 5, true]) {
      const wanted = { ...base, subdomain: value, server_admin: value }
      assert.includeMembers(await fieldsOf(parse(wanted)), ['subdomain', 'server_admin'])
    }
  })

  test('rendering throws for an unsafe value that passed validation', async ({ assert }) => {
    const virtualHost = { ...(await parse(sent)), server_admin: 'a@b.c\nInclude x' }
    assert.throws(
      () => renderSite({ id: 1, path: 'x', stack: 'php', virtualHost }),
      /is not allowed in/
    )
  })
})

test.group('Projects | starter pages and process form', () => {
  test('starter pages escape the project’s name', async ({ assert }) => {
    const page = starterFiles('php', '<?= 1 ?>')['index.php']
    assert.include(page, '<h1>&#60;?= 1 ?&#62;</h1>')
  })

  test('server programs in the dot folders of build tools are accepted, other dot folders rejected', async ({
    assert,
  }) => {
    const common = { name: 'app', projectPath: 'app', type: 'nonBuild' }
    const scripts = [
      '.output/server/index.mjs',
      '.next/standalone/server.js',
      'a/.medusa/server/x.js',
    ]
    for (const script of scripts) {
      const form = await processValidator.validate({ ...common, script: `./${script}` })
      assert.equal('script' in form && form.script, script)
    }
    const denied = [
      '.git/hooks/a.js',
      '.env',
      '.next',
      '.output/../x.js',
      '.output/.env',
      '.nextx/a.js',
    ]
    for (const script of denied) {
      assert.deepEqual(await fieldsOf(processValidator.validate({ ...common, script })), ['script'])
    }
    const folders = [
      '.output/public',
      'docs/.vitepress/dist',
      '.svelte-kit/output/client',
      '.vuepress/dist/en',
    ]
    for (const folder of folders) {
      assert.equal((await parse({ ...sent, entry_point: `/${folder}/` })).entry_point, folder)
    }
  })

  test('the process form accepts its two types, and rejects unsafe values', async ({ assert }) => {
    const common = { name: 'app', projectPath: '/var/www/public_html/app' }
    const build = { ...common, type: 'build', packageManager: 'npm', port: 3000 }
    assert.deepEqual(await processValidator.validate(build), {
      type: 'build',
      name: 'app',
      projectPath: 'app',
      packageManager: 'npm',
      port: 3000,
    })
    const odd: [string, object][] = [
      ['packageManager', { ...build, packageManager: 'bun; rm' }],
      ['port', { ...build, port: '3000; id' }],
      ['port', { ...build, port: [3000] }],
      ['name', { ...build, name: 'all' }],
      ['name', { ...build, name: '0' }],
      ['name', { ...build, name: '--version' }],
      ['name', { ...build, name: '$(id)' }],
      ['projectPath', { ...build, projectPath: '/var/www/public_html/../../../etc' }],
      ['script', { ...common, type: 'nonBuild', script: '../other.js' }],
      ['script', { ...common, type: 'nonBuild', script: '-e' }],
      ['script', { ...common, type: 'nonBuild', script: '/etc/passwd' }],
      ['script', { ...common, type: 'nonBuild' }],
      ['type', { ...common, type: 'other' }],
    ]
    for (const [field, form] of odd) {
      assert.deepEqual(
        await fieldsOf(processValidator.validate(form)),
        [field],
        JSON.stringify(form)
      )
    }
  })
})
