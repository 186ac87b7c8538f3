import { actorOf } from '#identity/public'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { incusClientFor } from '#hosts/public_effects'
import type { ServerInstance } from '#instances/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type Project from '#projects/models/project'
import { makeProject } from '#projects/tests/fixtures'
import { updateWebServer } from '#projects/schedules/update_web_servers'
import type { NodeProcess } from '#projects/transformers/page_props'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { trustProxyAuthorities } from '#tests/support/proxy_authorities'
import type { Incus } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installRoot } from '../../cli/paths.js'

const socket = process.env.INCUS_SOCKET
const APP_FOLDER = '/var/www/public_html/app'

/** Small apps, some of which fail in typical ways. */
const apps = {
  'crash.js': `console.error('no database'); throw new Error('DATABASE_URL is not set')`,
  'elsewhere.js': `require('http').createServer((_, to) => to.end('ok')).listen(4999)`,
  // Leaks 200 MB of memory per second.
  'leak.js': `const kept = []; require('http').createServer((_, to) => to.end('ok')).listen(3100)
setInterval(() => kept.push(Buffer.alloc(20 * 1024 * 1024, 1)), 100)`,
  'good.js': `require('http').createServer((_, to) => to.end('ok')).listen(process.env.PORT || 3200)`,
  'loud.js': `require('http').createServer((from, to) => {
  console.log('a request of ' + from.url)
  to.end('ok')
}).listen(process.env.PORT)`,
  'hello.pl': `use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
while (my $client = $server->accept) {
  while (<$client>) { last if /^\\s*$/ }
  print $client "HTTP/1.0 200 OK\\r\\n\\r\\n", join(' ', scalar getpwuid($<), $ENV{PORT}, $ENV{COLOR});
  close $client;
}`,
  'later.js': `if (!require('fs').existsSync('ready')) throw new Error('Not ready')
setInterval(() => {}, 1000)`,
  'needs.js': `if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')
require('http').createServer((_, to) => to.end(JSON.stringify(process.env))).listen(3300)`,
  'build.js': `require('fs').writeFileSync('built', process.env.DATABASE_URL)`,
  'package.json': JSON.stringify({ scripts: { build: 'node build.js', start: 'node needs.js' } }),
}

const GUIDE = 'docs/guides/customer.md'

/** Reads the Python starters of the customers' guide: a sentence with packages and command, then the file `app.py`. */
function readPythonStarters() {
  const text = readFileSync(join(installRoot, GUIDE), 'utf8')
  const starters = text.matchAll(
    /^(\w+): `requirements.txt` contains `(\w+)` and `(\w+)`.*? The command is\s+`(.+?)`.*?^```python\n(.*?)^```$/gms
  )
  return [...starters].map(([, name, first, second, command, file]) => ({
    name,
    packages: [first, second],
    command,
    file,
  }))
}

/**
 * The console runs any program named `pm2`, also one with which the customer replaced PM2. Columns: title, script of
 * that program, expected note (null: the console rejects the output as too large).
 */
const oddAnswers: [string, string, RegExp | null][] = [
  [
    'an object as a name',
    `echo '[{"pm_id":0,"name":{"a":1},"pm2_env":null}]'`,
    /(cannot|could not) be read/,
  ],
  ['no list', `echo '{"success":"gone"}'`, /cannot be read/],
  ['half a list', `echo '[{"pm_id":0,'`, /cannot be read/],
  ['nothing', `true`, /cannot be read/],
  ['120 MB in one line', `head -c 120000000 /dev/zero | tr '\\0' '['`, null],
  ['120 MB of errors', `head -c 120000000 /dev/zero | tr '\\0' x >&2; exit 1`, null],
]

test.group('Node processes | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let incus: Incus
  let instance: ServerInstance
  let project: Project
  let visitor: Visitor
  let reachesPypi = false

  const inside = async (...argv: string[]) => {
    const answer = await incus.instances.exec(instance.systemId!, argv, { timeout: 300 })
    return `${answer.stdout}${answer.stderr}`.trim()
  }
  const asOwner = (...argv: string[]) => inside('sudo', '-n', '-H', '-u', 'berth', '--', ...argv)
  const list = async () => {
    const answer = await visitor.get(`/project/pm2/list?server_instance_id=${instance.id}`)
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    return answer.json.data as { processes: NodeProcess[]; note: string | null }
  }
  const processOf = async (name: string) => {
    const found = (await list()).processes.find((one) => one.name === name)
    if (!found) throw new Error(`PM2 does not have ${name}`)
    return found
  }
  const act = (action: string, name: string) =>
    visitor.post('/project/pm2/process-action', {
      server_instance_id: instance.id,
      action,
      name,
    })
  const finish = async (path: string, body: object) => {
    const answer = await visitor.post(path, body)
    if (!answer.json.success) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    const id = answer.json.data!.operation_id as string
    await runSteps(id)
    return Operation.findOrFail(id)
  }
  const start = (name: string, more: object = {}) =>
    finish('/project/pm2/start-new', {
      type: 'nonBuild',
      name,
      script: `${name}.js`,
      projectPath: APP_FOLDER,
      server_instance_id: instance.id,
      ...more,
    })
  const starts = async (name: string, more: object = {}) => {
    const { status, error } = await start(name, more)
    if (status !== 'done') throw new Error(`${name}: ${error}`)
  }
  /** Like `starts`, but for an app that listens on a port. Berth detects sooner that such an app is ready. */
  const startsServing = async (name: string, port: number, more: object = {}) => {
    await lead(port)
    await starts(name, more)
  }
  const letIn = async () => {
    await inside('systemctl', 'start', 'ssh')
    await eventually(async () => {
      const { note } = await list()
      if (note) throw new Error(note)
    })
  }
  const lead = async (port: number | null) => {
    const virtualHost = port && {
      type: 'reverse_proxy',
      url_type: 'ip',
      server_admin: 'a@example.com',
      entry_point: '',
      reverse_proxy_port: port,
      subdomain: null,
      url_port: null,
    }
    await project.merge({ virtualHost: virtualHost as Project['virtualHost'] }).save()
  }
  const variables = (names: Record<string, string>) =>
    visitor.post('/project/pm2/environment', {
      project_id: project.id,
      variables: Object.entries(names).map(([name, value]) => ({ name, value })),
    })

  group.each.timeout(1_200_000)
  group.setup(async () => {
    const restore = await disableOtherHosts()
    const { host } = await registerLocalHost()
    await host.merge({ status: 'active' }).save()
    incus = incusClientFor(host)
    const customer = await makeCustomer()
    visitor = await signIn(customer)
    const { id } = await createSmallPackage('regular', { memoryMb: 512, diskGb: 3 })
    const ordered = await orderInstance(await actorOf(customer), {
      name: uniqueName('apps'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    await runSteps(ordered.operation.id)
    instance = await ordered.instance.refresh()
    if (instance.status !== 'active') throw new Error(`It is ${instance.status}`)
    await trustProxyAuthorities(incus, instance.systemId!)
    const ask = ['curl', '-skf', '-o', '/dev/null', '-m', '30', 'https://pypi.org/simple/flask/']
    reachesPypi =
      (await incus.instances.exec(instance.systemId!, ask, { timeout: 60 })).exitCode === 0
    project = await makeProject(instance, { stack: 'node', path: 'app', name: 'app' })
    await inside('install', '-d', '-o', 'berth', '-g', 'berth', APP_FOLDER)
    for (const [name, text] of Object.entries(apps)) {
      const owner = { uid: 1000, gid: 1000, mode: '0644' }
      await incus.instances.pushFile(instance.systemId!, `${APP_FOLDER}/${name}`, text, owner)
    }
    return async () => {
      await runSteps((await deleteInstance(await actorOf(customer), instance.id)).id)
      await restore()
    }
  })
  group.each.setup(async () => {
    await inside(
      'sh',
      '-c',
      '[ ! -e /usr/local/bin/pm2.real ] || mv /usr/local/bin/pm2.real /usr/local/bin/pm2'
    )
    await letIn()
    await asOwner('sh', '-c', '[ ! -e ~/.pm2/pm2.pid ] || pm2 delete all')
    await lead(null)
    await project.refresh()
    await project.merge({ environment: {} }).save()
  })

  test('an app that exits at its start shows the reason, and its status is not green', async ({
    assert,
  }) => {
    const { status, error } = await start('crash')
    assert.equal(status, 'failed')
    assert.match(error!, /The process crashed \d+ times \(last exit code 1\)\./)
    assert.include(error!, 'Error: DATABASE_URL is not set')
    assert.include(error!, 'no database')
    assert.notInclude(error!, 'node:internal')
    const found = await processOf('crash')
    assert.equal(found.pm2_env.status, 'restarting')
    assert.isAtLeast(found.pm2_env.restart_time, 3)
    assert.include(found.trouble!.lines.join('\n'), 'DATABASE_URL is not set')
    assert.match(found.trouble!.next, /press Restart/)
    const restarted = await act('restart', 'crash')
    assert.equal(restarted.status, 200, restarted.text)
    assert.equal((await act('stop', 'crash')).status, 200)
    assert.equal((await processOf('crash')).pm2_env.status, 'stopped')
  })

  test('a message names the port of an app that listens on another one', async ({ assert }) => {
    await lead(3000)
    const { status, error } = await start('elsewhere')
    assert.equal(status, 'failed')
    assert.include(error!, 'The process listens on 4999 instead of 3000.')
    const found = await processOf('elsewhere')
    assert.equal(found.pm2_env.status, 'online')
    assert.equal(found.trouble!.words, 'The process listens on 4999 instead of 3000.')
    await lead(4999)
    await starts('elsewhere')
    assert.isNull((await processOf('elsewhere')).trouble)
  })

  test('an app that allocates 200 MB a second does not harm its server instance', async ({
    assert,
  }) => {
    await start('leak')
    const seen = await eventually(async () => {
      const found = await processOf('leak')
      if (found.pm2_env.restart_time < 3) throw new Error('It has not ended three times')
      if (!found.trouble) throw new Error('Nothing is said of it')
      return found
    }, 300_000)
    assert.equal(seen.pm2_env.status, 'restarting')
    const { words, lines } = seen.trouble!
    assert.match(words, /exceeded its memory limit/, `${words} ${lines.join('\n')}`)
    // While the app keeps restarting, the list of processes and the file manager still work.
    for (let times = 0; times < 5; times++) {
      await list()
      const files = await visitor.page(`/file-manager?path=app&server_instance_id=${instance.id}`)
      assert.isNull(files.json.props!.problem)
    }
    assert.equal((await act('stop', 'leak')).status, 200)
    assert.equal((await processOf('leak')).pm2_env.status, 'stopped')
  })

  test('growing logs stay small and readable, and logs of deleted processes are removed', async ({
    assert,
  }) => {
    await updateWebServer(instance, 'test')
    const units = ['apache', 'pm2', 'wordpress'].map((name) => `berth-logs-${name}`)
    const timers = units.map((name) => `${name}.timer`)
    assert.equal(await inside('systemctl', 'is-active', ...timers), 'active\nactive\nactive')
    await inside('systemctl', 'stop', ...timers)
    await startsServing('loud', 3200)
    const [folder, apache] = ['/home/berth/.pm2/logs', '/var/log/apache2']
    const [out, access] = [`${folder}/loud-out.log`, `${apache}/project_${project.id}_access.log`]
    const fill = (file: string, end: string) =>
      `yes "$(printf %0999d 0)" | head -c 41M >> ${file}; printf '\\n${end}\\n' >> ${file}`
    await asOwner('sh', '-c', fill(out, 'last line of the flood'))
    await inside('sh', '-c', `cd ${apache} && ${fill(access, 'a visitor')}; echo small > small.log`)
    await inside('touch', '-d', '40 days ago', `${apache}/gone.log`)
    await asOwner(
      'touch',
      '-d',
      '40 days ago',
      `${folder}/gone-out.log`,
      out.replace('out', 'error')
    )
    const content = '/var/www/public_html/blog/wp-content'
    await inside('install', '-d', '-o', 'www-data', content)
    await inside('sh', '-c', `${fill(`${content}/debug.log`, 'note')}; chown www-data ${content}/*`)
    // The timer of PM2's logs runs as the owner, so the owner's link cannot make it empty a file of root.
    await inside('sh', '-c', `cd /root && ${fill('large', '')}; chmod 711 /root; chmod 644 large`)
    await asOwner('ln', '-s', '/root/large', `${folder}/link.log`)
    assert.equal(await inside('systemctl', 'start', ...units), '')

    const sizes = (...files: string[]) => inside('stat', '-c', '%s', ...files)
    const emptied = `0\n${10 * 1024 ** 2}`
    assert.equal(await sizes(out, `${out}.1`), emptied)
    assert.equal(await sizes(access, `${access}.1`), emptied)
    assert.equal(await sizes(`${content}/debug.log`, `${content}/.debug.log.1`), emptied)
    assert.equal(await sizes(`${apache}/small.log`), '6')
    assert.isAbove(Number(await sizes('/root/large')), 4e7)
    // Logs of a site that is switched off are kept, because its project still exists.
    assert.equal(
      await inside('sh', '-c', `ls ${folder} ${apache} | grep -E 'gone|loud-error'`),
      'loud-error.log\ngone.log'
    )

    // Both log pages also show lines from before the rotation. The app must continue to write into its log.
    await inside('sh', '-c', `echo 'next visitor' >> ${access}`)
    const logs = await visitor.get(`/project/${project.id}/logs`)
    assert.deepEqual((logs.json.data as { access: string[] }).access.slice(-2), [
      'a visitor',
      'next visitor',
    ])
    await inside('curl', '-s', 'http://127.0.0.1:3200/again')
    const follow = readFileSync('app/guest/machine/follow_files.sh', 'utf8')
    await eventually(async () => {
      const followed = await inside('timeout', '2', 'sh', '-c', follow, 'follow', '50', out)
      assert.match(followed, /last line of the flood\n[^]*a request of .again/)
    })

    assert.equal((await act('delete', 'loud')).status, 200)
    assert.equal(await inside('sh', '-c', `ls ${folder} | grep loud`), '')
    await inside(
      'rm',
      '-rf',
      `${apache}/gone.log`,
      access,
      `${access}.1`,
      '/root/large',
      `${folder}/link.log`,
      content
    )
  })

  test('a command in another language runs as the owner and restarts', async ({ assert }) => {
    const port = 3500
    const more = { type: 'command', command: 'perl hello.pl $PORT', port }
    const refused = await visitor.post('/project/pm2/start-new', {
      ...more,
      command: 'perl hello.pl | tee log',
      name: 'hello',
      projectPath: APP_FOLDER,
      server_instance_id: instance.id,
    })
    assert.equal(refused.status, 422, refused.text)
    assert.equal((await variables({ COLOR: 'blue' })).status, 200)
    await starts('hello', more)
    const ask = () => inside('curl', '-s', `http://127.0.0.1:${port}/`)
    assert.equal(await ask(), `berth ${port} blue`)
    await inside('pkill', '-KILL', '-f', 'hello.pl')
    await eventually(async () => assert.equal(await ask(), `berth ${port} blue`))

    assert.equal((await variables({ COLOR: 'red' })).status, 200)
    assert.equal((await act('restart', 'hello')).status, 200)
    await eventually(async () => assert.equal(await ask(), `berth ${port} red`))
    assert.equal((await act('stop', 'hello')).status, 200)
    assert.equal(await ask(), '')
    assert.equal((await act('start', 'hello')).status, 200)
    await eventually(async () => assert.equal(await ask(), `berth ${port} red`))
    assert.include(await inside('cat', '/home/berth/.pm2/dump.pm2'), '/usr/bin/env')
    assert.equal((await act('delete', 'hello')).status, 200)
  })

  test('the starter for {name} in the guide of customers runs in its virtual environment')
    .with(readPythonStarters)
    .run(async ({ assert }, { name, packages, command, file }) => {
      const folder = `${APP_FOLDER}/${name.toLowerCase()}`
      await asOwner('mkdir', folder)
      const owner = { uid: 1000, gid: 1000, mode: '0644' }
      const files = { 'app.py': file, 'requirements.txt': packages.join('\n') }
      for (const [path, text] of Object.entries(files)) {
        await incus.instances.pushFile(instance.systemId!, `${folder}/${path}`, text, owner)
      }
      await variables({ SECRET_KEY: 'of-the-starter', ALLOWED_HOST: '127.0.0.1' })
      const port = 3600
      await startsServing(name, port, { type: 'command', command, port, projectPath: folder })
      assert.include(await inside('curl', '-s', `http://127.0.0.1:${port}/`), `${name} answers`)
      assert.equal((await act('delete', name)).status, 200)
    })
    .skip(() => !reachesPypi, 'the instance cannot reach PyPI')

  test('an app that PM2 is just restarting stays stopped after Stop', async ({ assert }) => {
    await start('later')
    // PM2 opens the log before it starts the app. The log is now a FIFO, so PM2 waits until the test reads it.
    const log = '/home/berth/.pm2/logs/later-error.log'
    await asOwner('sh', '-c', `rm ${log} && mkfifo ${log}`)
    await eventually(async () => {
      const line = await inside('tail', '-n', '1', '/home/berth/.pm2/pm2.log')
      assert.include(line, 'starting in')
    })
    await asOwner('touch', `${APP_FOLDER}/ready`)
    const isStopping = `grep -q 'Stopping app:later' ~/.pm2/pm2.log`
    const reading = asOwner(
      'timeout',
      '240',
      'sh',
      '-c',
      `until ${isStopping}; do sleep 0.05; done; cat ${log}`
    )
    assert.equal((await act('stop', 'later')).status, 200)
    assert.equal((await processOf('later')).pm2_env.status, 'stopped')
    await reading
    assert.notInclude(await inside('ps', '-eo', 'args'), 'later.js')
  })

  test('a process can be stopped if SSH does not respond', async ({ assert }) => {
    await startsServing('good', 3200)
    await startsServing('good-2', 4999, { script: 'elsewhere.js' })
    await start('crash')
    await inside('sh', '-c', 'systemctl stop ssh.socket ssh; pkill -KILL sshd; true')
    const { processes, note } = await list()
    assert.include(note!, 'does not respond over SSH')
    assert.includeMembers(
      processes.map(({ name }) => name),
      ['good', 'good-2']
    )
    const folder = await visitor.post('/file-manager/store', {
      path: 'app',
      name: 'new',
      type: 'folder',
      server_instance_id: instance.id,
    })
    assert.equal(folder.status, 503, folder.text)
    assert.include(folder.json.message!, 'cannot be reached right now')
    assert.equal((await act('restart', 'good')).status, 503)

    const stopped = await act('stop', 'good')
    assert.equal(stopped.status, 200, stopped.text)
    assert.include(stopped.json.message!, 'by force')
    const crashed = await act('stop', 'crash')
    assert.equal(crashed.status, 200, crashed.text)
    await letIn()
    assert.equal((await processOf('crash')).pm2_env.status, 'stopped')
    assert.equal((await processOf('good')).pm2_env.status, 'stopped')
    assert.equal((await processOf('good-2')).pm2_env.status, 'online')
    assert.equal((await act('stop', 'nothing')).status, 404)
  })

  test('PM2 restarts once without its apps', async ({ assert }) => {
    await startsServing('good', 3200)
    const { status, error } = await finish('/server-instance/restart-without-apps', {
      id: instance.id,
    })
    assert.equal(status, 'done', error ?? '')
    // The saved processes start while the instance boots.
    const held = await eventually(() => processOf('good'))
    assert.equal(held.pm2_env.status, 'stopped')
    assert.equal((await act('start', 'good')).status, 200)
    await eventually(async () => assert.equal((await processOf('good')).pm2_env.status, 'online'))

    const again = await finish('/server-instance/restart', { id: instance.id })
    assert.equal(again.status, 'done', again.error ?? '')
    await eventually(async () => assert.equal((await processOf('good')).pm2_env.status, 'online'))
    // The memory limit of apps must apply after a reboot too.
    const daemon = await inside('cat', '/home/berth/.pm2/pm2.pid')
    assert.match(await inside('grep', 'Max data size', `/proc/${daemon}/limits`), /size +\d+ /)
  })

  test('a customer’s own pm2 that returns nonsense does not harm the console', async ({
    assert,
  }) => {
    await startsServing('good', 3200)
    const pm2 = '/usr/local/bin/pm2'
    await inside('mv', pm2, `${pm2}.real`)
    for (const [title, script, note] of oddAnswers) {
      const before = process.memoryUsage().rss
      const text = `#!/bin/sh\n${script}\n`
      await incus.instances.pushFile(instance.systemId!, pm2, text, { mode: '0755' })
      const answer = await visitor.get(`/project/pm2/list?server_instance_id=${instance.id}`)
      if (note) {
        assert.equal(answer.status, 200, `${title}: ${answer.text}`)
        assert.deepEqual(answer.json.data!.processes, [], title)
        assert.match(answer.json.data!.note as string, note, title)
      } else {
        assert.equal(answer.status, 502, title)
        assert.include(answer.json.message!, 'too large', title)
        assert.isBelow(answer.text.length, 4_000, title)
        assert.isBelow(process.memoryUsage().rss - before, 100 * 1024 ** 2, title)
      }
      const stop = await act('stop', 'good')
      assert.oneOf(stop.status, [404, 502], `${title}: ${stop.text}`)
    }
  })

  test('an app gets its variables, which no process list shows', async ({ assert }) => {
    const url = 'postgres://shop:correct-horse-battery@127.0.0.1/shop'
    assert.equal((await start('needs')).status, 'failed')
    assert.equal((await variables({ DATABASE_URL: url, ODD: `a\n'b' "$c" \\` })).status, 200)

    await inside('rm', '-f', '/root/seen')
    const watching = inside(
      'sh',
      '-c',
      'while [ ! -e /root/seen ]; do ps -eo args; sleep 0.1; done'
    )
    const app = () => inside('curl', '-s', 'http://127.0.0.1:3300/')
    await startsServing('needs', 3300).finally(() => inside('touch', '/root/seen'))
    const seen = await watching
    assert.include(seen, 'pm2 start ./needs.js')
    assert.notInclude(seen, 'correct-horse')
    const env = JSON.parse(await app()) as Record<string, string>
    assert.equal(env.DATABASE_URL, url)
    assert.equal(env.ODD, `a\n'b' "$c" \\`)

    // Changed and removed variables take effect at the next restart.
    await variables({ DATABASE_URL: `${url}2` })
    assert.equal((await act('restart', 'needs')).status, 200)
    await eventually(async () => {
      const now = JSON.parse(await app()) as Record<string, string>
      assert.equal(now.DATABASE_URL, `${url}2`)
      assert.notProperty(now, 'ODD')
    })
    assert.equal(await inside('sh', '-c', 'stat -c %a /home/berth/.pm2/dump.pm2'), '600')

    await act('delete', 'needs')
    await starts('built', { type: 'build', packageManager: 'npm', port: 3300 })
    assert.equal(await inside('cat', `${APP_FOLDER}/built`), `${url}2`)

    const kept = await db.rawQuery('select input, memory, steps, result, error from operations')
    assert.notInclude(JSON.stringify(kept.rows), 'correct-horse')
    const log = await db.from('audit_entries').select('before', 'after')
    assert.notInclude(JSON.stringify(log), 'correct-horse')
    assert.notInclude(await inside('journalctl', '--no-pager', '-o', 'cat'), 'correct-horse')
  })
})
