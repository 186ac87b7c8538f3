import Operation from '#core/models/operation'
import { applyStatusToProcesses } from '#projects/operations/apply_project_status'
import {
  type ProcessAction,
  restartWithVariables,
  runProcessAction,
} from '#projects/pm2/process_actions'
import { forceStopProcess } from '#projects/pm2/force_stop'
import { parseProcessList } from '#projects/pm2/processes'
import { maxAppMemoryBytes } from '#projects/pm2/memory_limit'
import {
  findProcessProblem,
  parseListeningPorts,
  parseLastOutput,
} from '#projects/pm2/process_problems'
import { scheduleWebServerUpdate } from '#projects/schedules/update_web_servers'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import type { ExecOptions, Machine } from '#packages/machine/main'
import { startCpuTimer } from '#tests/support/cpu_timer'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const entry = (more: object = {}, env: object = {}) => ({
  pm_id: 3,
  name: 'app',
  pid: 9,
  monit: { cpu: 1, memory: 2 },
  ...more,
  pm2_env: { status: 'online', pm_cwd: '/var/www/public_html/app', ...env },
})
const read = (...list: unknown[]) => parseProcessList(JSON.stringify(list), 100_000)

/** Returns a fake machine. Its PM2 starts the apps again after each of the first `lostStops` stops. */
function fakePm2(list: ReturnType<typeof entry>[], lostStops = 0) {
  const commands: string[] = []
  const environments: Record<string, string>[] = []
  const exec = (argv: string[], { env = {} }: ExecOptions = {}) => {
    const isList = argv.at(-1)?.includes('pm2 jlist')
    const [action, ...ids] = argv.slice(argv.indexOf('pm2') + 1)
    if (['start', 'stop', 'restart', 'delete'].includes(action)) {
      commands.push(`pm2 ${action} ${ids.join(' ')}`)
      if (action === 'start') environments.push(env)
    }
    for (const { pm_id: id, pm2_env: env } of action === 'stop' ? list : []) {
      const stops = commands.filter((command) => command.startsWith('pm2 stop ')).length
      if (ids.includes(String(id))) env.status = stops > lostStops ? 'stopped' : 'online'
    }
    const stdout = Buffer.from(isList ? JSON.stringify(list) : '')
    return Promise.resolve({ code: 0, signal: null, stdout, stderr: Buffer.alloc(0) })
  }
  return { machine: { exec } as unknown as Machine, commands, environments }
}

test.group('Processes | parsing PM2’s process list', () => {
  test('reads only the fields that pages need', ({ assert }) => {
    const text = JSON.stringify([entry({ SECRET: 'x' }, { SECRET: 'x' })])
    const { processes, note } = parseProcessList(`[PM2] Spawning PM2 daemon\n${text}\n`)
    assert.notInclude(JSON.stringify(processes), 'SECRET')
    assert.equal(processes[0].pm_id, 3)
    assert.isNull(note)
    assert.deepEqual(parseProcessList('>>>> In-memory PM2 is out-of-date\n[]'), {
      processes: [],
      note: null,
    })
  })

  test('skips entries that are no processes, with a note', ({ assert }) => {
    const odd = [
      null,
      7,
      'text',
      [],
      {},
      entry({ name: { toString: 1 } }),
      entry({ name: ['a'] }),
      entry({ pm_id: '3' }),
      entry({ pm_id: -1 }),
      entry({ pm_id: 1e400 }),
      entry({ name: '' }),
      entry({ name: 'x'.repeat(100_000) }),
      entry({ name: '\u001b[31m' }),
    ]
    const { processes, note } = read(...odd, entry())
    assert.deepEqual(
      processes.map(({ name }) => name),
      ['app']
    )
    assert.equal(
      note,
      `${odd.length} entries of PM2's list could not be read, so some processes are not shown.`
    )
    for (const text of ['', 'no list', '{"a":1}', '[{', `[${'['.repeat(200_000)}`, 'null']) {
      const answer = parseProcessList(text)
      assert.deepEqual(answer.processes, [])
      assert.match(answer.note!, /cannot be read/)
    }
  })

  test('gives every field the declared type', ({ assert }) => {
    const { processes } = read(
      entry(
        { monit: { cpu: 'all', memory: null }, pid: 'x', pm_id: 0 },
        { status: { a: 1 }, restart_time: -4, pm_out_log_path: 5, pm_cwd: {}, args: [1, 'a'] }
      ),
      entry({ monit: null, pm_id: 1 }, { restart_time: 1e999, pm_uptime: 'now' })
    )
    assert.deepInclude(processes[0], { pid: 0, monit: { cpu: 0, memory: 0 }, folder: '' })
    assert.deepEqual(processes[0].pm2_env, { status: 'unknown', restart_time: 0, uptime: null })
    assert.deepEqual(processes[0].logs, { out: null, errors: null })
    assert.deepEqual(processes[1].pm2_env, { status: 'online', restart_time: 0, uptime: null })
  })

  test('truncates a list of 5,000 entries to 200, with a note', ({ assert }) => {
    const many = Array.from({ length: 5_000 }, (_, id) => entry({ pm_id: id }))
    const { processes, note } = read(...many)
    assert.lengthOf(processes, 200)
    assert.match(note!, /^4800 entries/)
  })

  test('reports a process in a crash loop as restarting, not online', ({ assert }) => {
    const statusOf = (env: object) => read(entry({}, env)).processes[0].pm2_env.status
    const justNow = { pm_uptime: 99_000, restart_time: 15 }
    assert.equal(statusOf({ ...justNow, prev_restart_delay: 505 }), 'restarting')
    assert.equal(statusOf({ ...justNow, unstable_restarts: 4 }), 'restarting')
    assert.equal(statusOf({ status: 'waiting restart' }), 'restarting')
    assert.equal(statusOf({ ...justNow, prev_restart_delay: 505, pm_uptime: 10_000 }), 'online')
    assert.equal(statusOf(justNow), 'online')
    assert.equal(statusOf({ status: 'errored' }), 'errored')
    assert.equal(statusOf({ status: 'one-launch-status' }), 'unknown')
  })
})

test.group('Processes | explaining an app’s problem', () => {
  test('the ports of a process include those of its child processes', ({ assert }) => {
    const text = `    1     0
  100     1
  101   100
  102   101
  103   103
--berth--
LISTEN 0      511                *:4999             *:*    users:(("node",pid=102,fd=19))
LISTEN 0      511          0.0.0.0:22         0.0.0.0:*
LISTEN 0      511        127.0.0.1:5000       0.0.0.0:*    users:(("a",pid=7,fd=1),("b",pid=101,fd=2))
LISTEN nonsense
`
    const ports = parseListeningPorts(text, [100, 103, 104])
    assert.deepEqual(ports.get(100), [4999, 5000])
    assert.deepEqual([ports.get(103), ports.get(104)], [[], []])
    assert.deepEqual(parseListeningPorts('1 1\n2 1\n1 2', [1]).get(1), [])
  })

  test('parses hostile lists of processes, ports and log lines in linear time', ({ assert }) => {
    const cpuMs = startCpuTimer()
    for (const filler of ['\n', ' ', '1 ', '1\n', '--berth--', 'LISTEN 0 0 :1 pid=1,\n', ':']) {
      const text = filler.repeat(200_000)
      assert.deepEqual(parseListeningPorts(text, [7]).get(7), [])
      assert.isAtMost(parseLastOutput(text).lines.length, 10)
    }
    assert.isBelow(cpuMs(), 5_000)
  })

  test('reports only the app’s own log lines since this start', ({ assert }) => {
    const text = `2026-11-22T13:00:09: PM2 log: App [app:0] exited with code [1] via signal [SIGINT]
--berth--
--berth--
2026-11-22T12:00:00: Error: yesterday's
2026-11-22T13:00:08: \u001b[31mError: DATABASE_URL is not set\u001b[0m
2026-11-22T13:00:08:     at Object.<anonymous> (/var/www/public_html/app/server.js:1:7)
2026-11-22T13:00:08:     at Module._compile (node:internal/modules/cjs/loader:1929:14)
2026-11-22T13:00:08:     at Object.<anonymous> (/usr/local/lib/node_modules/pm2/lib/ProcessContainerFork.js:33:23)
--berth--
2026-11-22T13:00:07: starting
`
    const { ending, lines } = parseLastOutput(text, '2026-11-22T13:00:05')
    assert.deepEqual(ending, { code: 1, signal: 'SIGINT', tooLarge: false })
    assert.deepEqual(lines, [
      'Error: DATABASE_URL is not set',
      '    at Object.<anonymous> (/var/www/public_html/app/server.js:1:7)',
    ])
    assert.deepEqual(parseLastOutput('', '2026'), { ending: null, lines: [] })
    const frames = Array.from(
      { length: 12 },
      (_, index) => `${index}: 0x93${index} node::Start [node]\n`
    )
    const full = 'FATAL ERROR: Allocation failed - JavaScript heap out of memory'
    const ofNode = `x\n--berth--\n--berth--\n${full}\n${frames.join('')}`
    assert.deepEqual(parseLastOutput(ofNode).lines, [full])
  })

  test('an exit counts as caused by memory only if PM2 reported it after the exit before, however long PM2 took', ({
    assert,
  }) => {
    const home = mkdtempSync(join(tmpdir(), 'berth-pm2-'))
    mkdirSync(join(home, '.pm2'))
    const limit = '2026-11-22T13:00:02: PM2 log: Process 0 restarted because it exceeds --max'
    const exit = (time: string) =>
      `2026-11-22T13:${time}: PM2 log: App [app:0] exited with code [0] via signal [SIGINT]`
    const other = limit.replace('Process 0', 'Process 10')
    const script = join(import.meta.dirname, '../pm2/read_logs.sh')
    const readEnding = (lines: string[]) => {
      writeFileSync(join(home, '.pm2/pm2.log'), `${lines.join('\n')}\n`)
      const argv = [script, 'app', '0', '', '', '--berth--']
      const env = { HOME: home, PATH: process.env.PATH }
      return parseLastOutput(execFileSync('sh', argv, { env, encoding: 'utf8' })).ending
    }
    assert.isTrue(readEnding([limit, exit('00:59')])!.tooLarge)
    assert.isTrue(readEnding([exit('00:01'), limit, other, exit('00:59')])!.tooLarge)
    assert.isFalse(readEnding([limit, exit('00:03'), exit('00:04')])!.tooLarge)
    assert.isFalse(readEnding([exit('00:01'), limit])!.tooLarge)
    assert.isFalse(readEnding([other, exit('00:01')])!.tooLarge)
    assert.isNull(readEnding([limit]))
    rmSync(home, { recursive: true })
  })

  test('recognises failed allocations of {0}')
    .with([
      ['Node', 'RangeError: Array buffer allocation failed'],
      ['Node 24', 'RangeError: Failed to allocate memory'],
      ['V8', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
      ['V8 outside the heap', '# Fatal process out of memory: Zone'],
      ['C++', "terminate called after throwing an instance of 'std::bad_alloc'"],
      ['Python', 'MemoryError'],
      ['Ruby', 'app.rb:3: failed to allocate memory (NoMemoryError)'],
      ['Go', 'fatal error: runtime: cannot allocate memory'],
      ['PHP', 'PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted'],
      ['Perl', 'Out of memory!'],
      ['Java', 'java.lang.OutOfMemoryError: Java heap space'],
      ['a child process', 'Error: spawn ENOMEM'],
    ])
    .run(async ({ assert }, [, line]) => {
      const text = `App [app:3] exited with code [1]\n--berth--\n--berth--\n${line}\n--berth--\n`
      const exec = () =>
        Promise.resolve({
          code: 0,
          signal: null,
          stdout: Buffer.from(text),
          stderr: Buffer.alloc(0),
        })
      const [crashed] = read(entry({}, { status: 'errored' })).processes
      const found = await findProcessProblem({ exec } as unknown as Machine, crashed, {
        wanted: null,
        ports: null,
      })
      assert.match(found!.words, /exceeded its memory limit/)
      assert.deepEqual(found!.lines, [line])
    })

  test('an app’s memory limit leaves enough for the instance to stay reachable', ({ assert }) => {
    const BYTES_PER_MIB = 1024 ** 2
    const of = (megabytes: number) =>
      maxAppMemoryBytes({ memoryBytes: megabytes * BYTES_PER_MIB })! / BYTES_PER_MIB
    assert.deepEqual([256, 512, 1_000, 4_000].map(of), [128, 312, 800, 3_200])
    assert.isNull(maxAppMemoryBytes({ memoryBytes: 0 }))
  })
})

test.group('Processes | variables of a restart', () => {
  const modes: [string, string[], object, Record<string, string>, string | undefined][] = [
    ['was saved meanwhile', ['start'], { NODE_ENV: 'production' }, { NODE_ENV: 'test' }, 'test'],
    [
      'was changed',
      ['start'],
      { NODE_ENV: 'a', BERTH_VARIABLES: 'NODE_ENV' },
      { NODE_ENV: 'b' },
      'b',
    ],
    ['was removed', ['start'], { NODE_ENV: 'a', BERTH_VARIABLES: 'NODE_ENV' }, {}, 'production'],
    ['was emptied', ['start'], { NODE_ENV: 'production' }, { NODE_ENV: '' }, 'production'],
    ['of a script was removed', [], { NODE_ENV: 'a', BERTH_VARIABLES: 'NODE_ENV' }, {}, undefined],
    ['of Berth stays', ['start'], { NODE_ENV: 'production' }, { A: '1' }, 'production'],
  ]
  test('NODE_ENV {0}')
    .with(modes)
    .run(async ({ assert }, [, args, env, environment, mode]) => {
      const list = [
        entry(
          {},
          {
            exec_mode: 'fork_mode',
            exec_interpreter: 'node',
            pm_exec_path: args.length ? '/usr/bin/npm' : '/var/www/public_html/app/server.js',
            args,
            ...env,
          }
        ),
      ]
      const { machine, environments } = fakePm2(list)
      await restartWithVariables(machine, 'restart', read(...list).processes[0], {
        environment,
        memory: null,
      })
      assert.equal(environments.at(-1)!.NODE_ENV, mode)
    })
})

test.group('Processes | forced stop', () => {
  test('saves the processes as stopped, even if PM2 then fails', async ({ assert }) => {
    const home = mkdtempSync(join(tmpdir(), 'berth-stop-'))
    const path = (name: string) => join(home, name)
    const start = () => spawn('sleep', ['60'], { env: { ...process.env, name: 'app' } })
    const [daemon, app] = [start(), start()]
    const exit = once(app, 'exit')
    mkdirSync(path('.pm2/pids'), { recursive: true })
    writeFileSync(path('.pm2/pm2.pid'), String(daemon.pid))
    utimesSync(path('.pm2/pm2.pid'), 0, 0)
    writeFileSync(path('.pm2/pids/app-3.pid'), String(app.pid))
    writeFileSync(path('sudo'), `#!/bin/sh\necho "$*" >> ${home}/commands\n`, { mode: 0o700 })
    const env = { ...process.env, PATH: `${home}:${process.env.PATH}` }
    const exec = async ([file, ...argv]: string[], { user }: ExecOptions) => {
      if (user !== 'root') throw new Error('PM2 fails')
      const [code] = await once(spawn(file, argv.with(-1, home), { env }), 'close')
      return { code, stderr: '' }
    }
    try {
      const machine = { exec } as unknown as Machine
      await assert.rejects(() => forceStopProcess(machine, 'app'), 'PM2 fails')
      assert.deepEqual(await exit, [null, 'SIGKILL'])
      const commands = readFileSync(path('commands'), 'utf8')
      assert.match(commands, /pm2 stop 3 --silent\n.* pm2 save --force --silent\n$/)
    } finally {
      for (const child of [daemon, app]) child.kill('SIGKILL')
      rmSync(home, { recursive: true })
    }
  })
})

test.group('Processes | in a crash loop', () => {
  const crashing = () => [
    entry({ pm_id: 3 }, { status: 'waiting restart' }),
    entry({ pm_id: 4, name: 'other' }),
  ]
  const commandsFor = async (action: ProcessAction, lostStops = 0) => {
    const list = crashing()
    const { machine, commands } = fakePm2(list, lostStops)
    await runProcessAction(machine, action, read(...list).processes)
    return commands
  }

  test('a stop or deletion is repeated until the processes stay stopped', async ({ assert }) => {
    assert.deepEqual(await commandsFor('stop'), ['pm2 stop 3 4'])
    assert.deepEqual(await commandsFor('stop', 1), ['pm2 stop 3 4', 'pm2 stop 3 4'])
    assert.deepEqual(await commandsFor('delete', 1), [
      'pm2 stop 3 4',
      'pm2 stop 3 4',
      'pm2 delete 3 4',
    ])
    await assert.rejects(() => commandsFor('delete', 99), /starts again after each stop/)
  })

  test('the processes are stopped before a restart, because PM2 would reject the restart', async ({
    assert,
  }) => {
    assert.deepEqual(await commandsFor('restart'), ['pm2 stop 3', 'pm2 restart 3 4'])
    assert.deepEqual(await commandsFor('restart', 1), [
      'pm2 stop 3',
      'pm2 stop 3',
      'pm2 restart 3 4',
    ])
  })
})

test.group('Processes | inactive projects', () => {
  test('the processes of an active project inside the folder of an inactive project are kept', async ({
    assert,
  }) => {
    const instance = await makeInstance(await makeCustomer())
    const outer = await makeProject(instance, { stack: 'node', path: 'shop', status: 'deleted' })
    await makeProject(instance, { stack: 'node', path: 'shop/api' })
    const folders = ['shop', 'shop/jobs', 'shop/api', 'shop/api/jobs', 'shopping']
    const settle = async () => {
      const { machine, commands } = fakePm2(
        folders.map((path, id) =>
          entry({ pm_id: id, name: path }, { pm_cwd: `/var/www/public_html/${path}` })
        )
      )
      await applyStatusToProcesses(outer, machine)
      return commands
    }
    assert.deepEqual(await settle(), ['pm2 stop 0 1', 'pm2 delete 0 1'])
    await outer.merge({ status: 'inactive' }).save()
    assert.deepEqual(await settle(), ['pm2 stop 0 1'])
  })

  test('are closed only on an instance that was certainly restored', async ({ assert }) => {
    const instance = await makeInstance(await makeCustomer())
    const versionAfter = async (isCertain: boolean, recordsAppliedAt: DateTime | null = null) => {
      await scheduleWebServerUpdate(instance, { isCertain, recordsAppliedAt })
      return (await db.from('web_servers').where('server_instance_id', instance.id).first()).version
    }
    assert.isNull(await versionAfter(false))
    assert.equal(await versionAfter(true), 'restored')
    const at = '2026-11-20T10:00:00.000Z'
    assert.equal(await versionAfter(true, DateTime.fromISO(at)), `restored ${at}`)
  })
})

test.group('Processes | builds', () => {
  test('of two simultaneous builds in one folder, only one starts', async ({ assert }) => {
    const customer = await makeCustomer()
    const instance = await makeInstance(customer)
    await makeProject(instance, { stack: 'node', path: 'shop' })
    const visitor = await signIn(customer)
    const build = (projectPath: string) =>
      visitor.post('/project/pm2/start-new', {
        type: 'build',
        name: 'shop',
        packageManager: 'npm',
        port: 3000,
        projectPath,
        server_instance_id: instance.id,
      })
    const answers = await Promise.all([build('shop'), build('shop')])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
    const { json } = answers.find(({ status }) => status === 409)!
    assert.match(json.message!, /already being built\. Wait/)
    assert.equal((await build('shop/api')).status, 202)
    for (const status of ['done', 'stuck']) {
      await Operation.query().where('accountId', customer.id).update({ status })
      assert.equal((await build('shop')).status, 202)
    }
  })
})
