import {
  backupSocketPath,
  builtBackupServerCommand,
  listenOnBackupSocket,
} from '../../cli/backup/socket.js'
import { buildFolder } from '../../cli/build.js'
import { mountNamespacePrefix } from '../../cli/mount_namespace.js'
import { openHome, type BerthHome } from '../../cli/berth_home.js'
import { hostShellCommand, listenOnHostShellSocket } from '../../cli/host_shell_socket.js'
import {
  serveSandboxes,
  sandboxSocketPath,
  builtSandboxCommand,
} from '../../cli/sandbox_launcher.js'
import { createCaddyProcessSpecs, describeLocalEdge } from '../../cli/local_edge.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { selectRows, type BerthDatabase } from '../../cli/postgres/connections.js'
import {
  isolatedProcesses,
  hostShellSocketPath,
  ensureProcessUsers,
  createProcessSpecs,
  type IsolatedProcess,
  type ProcessUsers,
} from '../../cli/process_users.js'
import { findFreePorts, commonProcessEnv, roleNames } from '../../cli/roles.js'
import { runProgram, withParentDeathSignal } from '../../cli/run_program.js'
import { migrateDatabase, waitFor200 } from '../../cli/ace_commands.js'
import { Supervisor, type ProcessSpec } from '../../cli/supervisor.js'
import { isRunning } from '../../cli/tests/poll_until.js'
import { requestBackupJob } from '#packages/backup/client'
import type { Server } from '#databases/servers/server'
import { type StorageFolder, DatabaseFileStore } from '#databases/transfer/file_store'
import {
  LocalMachine,
  type Machine,
  openShellViaSocket,
  SandboxMachine,
} from '#packages/machine/main'
import env from '#start/env'
import { CaddyAdminClient } from '#packages/edge/main'
import { eventually } from '#tests/support/eventually'
import {
  ACCESS_ATTEMPT_PROGRAM,
  type AccessAttempt,
  readEnvironment,
  readProcessIdentity,
  NET_BIND_SERVICE_CAPABILITY,
  NO_CAPABILITIES,
  readOpenFiles,
  secretsByProcess,
} from '#tests/support/process_privileges'
import { test } from '@japa/runner'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { createConnection } from 'node:net'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'

const incusSocket = process.env.INCUS_SOCKET

test.group('Privileges of Berth’s processes', (group) => {
  if (process.getuid?.() !== 0 || !incusSocket || !existsSync(incusSocket)) {
    test('skipped without root and Incus', () => {}).skip(
      true,
      'needs root and an Incus: set INCUS_SOCKET'
    )
    return
  }

  let home: BerthHome
  let database: BerthDatabase
  let privileges: ProcessUsers
  let supervisor: Supervisor
  let roles: ProcessSpec[]
  let ports: Awaited<ReturnType<typeof findFreePorts>>
  const undo: (() => Promise<unknown> | unknown)[] = []
  const at = (...names: string[]) => join(home.path, ...names)

  group.setup(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-roles-'))
    undo.push(() => rm(folder, { recursive: true, force: true }))
    await chmod(folder, 0o711)
    home = await openHome(join(folder, 'home'))
    const env = { ...process.env, DATABASE_URL: undefined, MIGRATION_DATABASE_URL: undefined }
    database = await openDatabase(home, { fast: true, env })
    undo.push(async () => {
      await database.stop()
      const data = await findRealPostgresFolder(home.path)
      if (data && data !== at('postgres')) await rm(data, { recursive: true, force: true })
    })
    ports = await findFreePorts()
    const { web: httpPort, gateway: httpsPort } = await findFreePorts()
    const edge = { ...describeLocalEdge(home), httpPort, httpsPort }
    const local = { incusSocket, edge }
    const secret = {
      GOOGLE_CLIENT_SECRET: 'known-to-google',
      SMTP_URL: 'smtp://berth:known-to-smtp@127.0.0.1:1',
      MYSQL_URL: 'mysql://keeper:known-to-mysql@127.0.0.1:1',
      EDGE_ISSUER: 'internal',
    }
    const told = commonProcessEnv({
      home,
      database,
      ports,
      mode: 'production',
      local,
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', ...secret },
    })
    await migrateDatabase({ home, database, env: told, from: 'build', always: true })
    const made = await ensureProcessUsers(home, { build: buildFolder, systemIncus: false })
    if (!made) throw new Error('No privileges could be prepared')
    privileges = made
    const starting = { home, build: buildFolder, env: told, database, privileges }
    roles = await createProcessSpecs({ ...starting, names: roleNames })
    undo.push(await listenOnHostShellSocket(hostShellSocketPath(home), hostShellCommand))
    roles.push(...(await createCaddyProcessSpecs(home, edge, privileges)))
    supervisor = new Supervisor({ logs: home.logs, report: () => {} })
    undo.push(() => supervisor.stop())
    for (const role of roles) await supervisor.start(role)
    const { web, gateway, vault, mail } = ports
    for (const port of [web, gateway, vault, mail]) {
      const up = await waitFor200(`http://127.0.0.1:${port}/health`, 300_000)
      if (!up) throw new Error(`Nobody answers at ${port}: see ${home.logs}`)
    }
    await eventually(() => {
      for (const path of ['edge/admin.sock', 'broker/web/incus', 'broker/gateway/incus']) {
        if (!existsSync(at(path))) throw new Error(`${path} is not there`)
      }
    })
    return async () => {
      for (const each of undo.reverse()) await each()
    }
  })

  async function attempt(name: keyof ProcessUsers, attempts: AccessAttempt[]): Promise<string[]> {
    const argv = [process.execPath, '-e', ACCESS_ATTEMPT_PROGRAM, JSON.stringify(attempts)]
    const { output } = await runProgram(withParentDeathSignal(argv, 'TERM', privileges[name]), {
      env: {},
      cwd: '/',
    })
    return JSON.parse(output) as string[]
  }

  /**
   * Makes Caddy issue a certificate that the worker can read. Returns the path that certificate and key share, without
   * the extension.
   */
  async function obtainCertificate(): Promise<string> {
    const { EDGE_ADMIN, EDGE_HTTP_PORT, EDGE_HTTPS_PORT } = readEnvironment(supervisor.pids.worker)
    const admin = new CaddyAdminClient(EDGE_ADMIN)
    const certificate = at('edge/storage/certificates/local/harbour.test/harbour.test')
    await eventually(async () => {
      // The worker also configures Caddy and may overwrite this configuration, so it is loaded again before each
      // check.
      await admin.serve([{ domain: 'harbour.test', upstream: '127.0.0.1:1', tls: 'works' }], {
        admin: EDGE_ADMIN,
        httpPort: Number(EDGE_HTTP_PORT),
        httpsPort: Number(EDGE_HTTPS_PORT),
        issuer: 'internal',
        storage: at('edge', 'storage'),
        tlsLog: at('edge', 'tls.log'),
        proxyLoopLog: at('edge', 'proxy_loops.log'),
      })
      const [outcome] = await attempt('worker', [['read', `${certificate}.crt`]])
      if (outcome !== 'ok') throw new Error(`The worker cannot read it: ${outcome}`)
    })
    await admin.close()
    return certificate
  }

  test('each process has a user of its own without capabilities, and cannot gain any', ({
    assert,
  }) => {
    const seen = Object.entries(supervisor.pids).map(([name, pid]) => {
      return [name, readProcessIdentity(pid)]
    })
    const [incus] = privileges.broker.groups!
    const { edge } = privileges
    const shared = privileges.web.groups!
    const groups: Record<string, number[]> = {
      web: [...shared],
      broker: [incus],
      worker: [incus, ...shared, edge.gid],
    }
    // The backup process is not checked here, because it runs only during a backup.
    const lasting = isolatedProcesses.filter((name) => name !== 'backup')
    const expected = [...lasting, 'certificates'].map((name) => {
      const { uid, gid } = privileges[name === 'certificates' ? 'edge' : (name as 'edge')]
      return [
        name,
        {
          ids: [...new Set([String(uid), '/', String(gid)])].join(' '),
          groups: (groups[name] ?? []).sort((a, b) => a - b),
          capabilities: [name === 'edge' ? NET_BIND_SERVICE_CAPABILITY : NO_CAPABILITIES],
          NoNewPrivs: '1',
        },
      ]
    })
    assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(expected))
    // The web process has two additional groups: for metrics and for databases.
    assert.lengthOf(new Set(shared), 2)
    const uids = isolatedProcesses.map((name) => privileges[name].uid)
    assert.lengthOf(new Set([0, ...uids]), isolatedProcesses.length + 1)
  })

  test('each process gets only its own secrets', ({ assert }) => {
    const { appKey, databaseApp, databaseVault, databaseMail, ...others } = home.secrets
    const { vaultKey, vaultControlKey, mailKey, mailControlKey, databaseSuperuser, databaseOwner } =
      others
    const secrets: Record<string, string> = {
      appKey,
      databaseApp,
      databaseVault,
      databaseMail,
      vaultKey,
      vaultControlKey,
      mailKey,
      mailControlKey,
      databaseSuperuser,
      databaseOwner,
      google: 'known-to-google',
      smtp: 'known-to-smtp',
      mysql: 'known-to-mysql',
      incus: incusSocket,
    }
    for (const [name, pid] of Object.entries(supervisor.pids)) {
      const values = Object.values(readEnvironment(pid)).join('\n')
      const known = Object.keys(secrets).filter((secret) => values.includes(secrets[secret]))
      assert.sameMembers(known, secretsByProcess[name], name)
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      for (const secret of Object.values(secrets)) assert.notInclude(line, secret, name)
    }
    const names = (name: string) => Object.keys(readEnvironment(supervisor.pids[name]))
    for (const name of ['vault', 'mail', 'broker', 'edge']) {
      assert.notIncludeMembers(names(name), ['APP_KEY'], name)
      assert.notIncludeMembers(names(name), ['DATABASE_URL'], name)
    }
    for (const name of ['vault', 'mail']) assert.notInclude(names(name), 'INCUS_SOCKET', name)
  })

  test('each process has only its own files open', ({ assert }) => {
    const postgres = Number(new URL(database.ownerUrl).port)
    const { web, gateway, vault, mail, mail_smtp, mail_inbound, metrics } = ports
    const listens: Record<string, number[]> = {
      web: [web, metrics],
      gateway: [gateway],
      vault: [vault],
      mail: [mail, mail_smtp, mail_inbound],
    }
    for (const [name, pid] of Object.entries(supervisor.pids)) {
      const { files, tcp } = readOpenFiles(pid)
      const foreign = files.filter(
        (path) =>
          path !== '/dev/null' &&
          !path.startsWith(at('compiled', name)) &&
          !path.startsWith(join(dirname(buildFolder), 'node_modules')) &&
          !(name === 'edge' && path.startsWith(at('edge'))) &&
          !(name === 'vault' && path.startsWith(at('vault'))) &&
          !(name === 'mail' && path.startsWith(at('mail')))
      )
      assert.deepEqual(foreign, [], name)
      const asked = ['web', 'worker'].includes(name) ? [vault, mail] : []
      const usesDatabase = ['web', 'gateway', 'worker', 'vault', 'mail'].includes(name)
      const strange = tcp.filter((line) => {
        const [here, there] = line.split(' > ').map(Number)
        return (
          !listens[name]?.includes(here) &&
          !asked.includes(there) &&
          !(usesDatabase && there === postgres)
        )
      })
      if (name !== 'edge') assert.deepEqual(strange, [], name)
    }
  })

  test('web serves the metrics of all processes to Prometheus', async ({ assert }) => {
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)
      assert.equal(answer.status, 200)
      const text = await answer.text()
      const seen = [...text.matchAll(/^berth_process_info\{.*role="(\w+)"/gm)].map(
        ([, role]) => role
      )
      assert.sameMembers(seen, [...roleNames, 'broker'])
      for (const name of ['berth_terminals_open', 'berth_pool_used', 'berth_mails_waiting']) {
        assert.match(text, new RegExp(`^${name}(\\{| )`, 'm'))
      }
      assert.notMatch(text, /^berth_gauge_failed\{/m)
    })
  })

  test('no process can access the files and sockets of another process', async ({ assert }) => {
    const pids = supervisor.pids
    const certificate = await obtainCertificate()
    const authority = at('edge/storage/pki/authorities/local')
    const attempts: Record<string, AccessAttempt> = {
      'the secrets': ['read', at('secrets.json')],
      'the state': ['write', at('state.json')],
      'the home': ['list', home.path],
      'the logs': ['list', home.logs],
      'the data of PostgreSQL': ['list', (await findRealPostgresFolder(home.path))!],
      "Incus' socket": ['connect', incusSocket],
      'a root shell': ['connect', hostShellSocketPath(home)],
      "web's way to Incus": ['connect', at('broker', 'web', 'incus')],
      "the gateway's way to Incus": ['connect', at('broker', 'gateway', 'incus')],
      "Caddy's admin socket": ['connect', at('edge', 'admin.sock')],
      "Caddy's errors": ['read', at('edge', 'tls.log')],
      "Caddy's errors, writing": ['write', at('edge', 'tls.log')],
      "Caddy's proxy loops": ['read', at('edge', 'proxy_loops.log')],
      "Caddy's certificates": ['read', `${certificate}.crt`],
      "Caddy's keys": ['read', `${certificate}.key`],
      "Caddy's root certificate": ['read', `${authority}/root.crt`],
      "Caddy's root key": ['read', `${authority}/root.key`],
      "Caddy's authority": ['list', authority],
      "the mail service's figures": ['list', at('metrics', 'mail')],
      'objects of the vault': ['list', at('vault')],
      'mails of the mail service': ['list', at('mail')],
      'copies of databases': ['list', at('databases', 'backups')],
      'the code, writing': ['write', join(buildFolder, 'bin/role.js')],
      ...Object.fromEntries(
        Object.keys(pids).flatMap((name): [string, AccessAttempt][] => [
          [`the environment of ${name}`, ['read', `/proc/${pids[name]}/environ`]],
          [`the compiled code of ${name}`, ['list', at('compiled', name)]],
        ])
      ),
    }
    for (const name of ['edge', 'certificates'])
      await mkdir(at('compiled', name), { recursive: true, mode: 0o700 })
    const own = (name: string) => [`the environment of ${name}`, `the compiled code of ${name}`]
    const reached: Record<string, string[]> = {
      web: [
        ...own('web'),
        "web's way to Incus",
        "the mail service's figures",
        'copies of databases',
      ],
      gateway: [...own('gateway'), "the gateway's way to Incus", 'a root shell'],
      vault: [...own('vault'), 'objects of the vault'],
      mail: [...own('mail'), 'mails of the mail service', "the mail service's figures"],
      worker: [
        ...own('worker'),
        "Incus' socket",
        "the mail service's figures",
        "Caddy's admin socket",
        "Caddy's errors",
        "Caddy's proxy loops",
        "Caddy's certificates",
        "Caddy's root certificate",
        'copies of databases',
      ],
      broker: [
        ...own('broker'),
        "Incus' socket",
        "web's way to Incus",
        "the gateway's way to Incus",
      ],
      edge: [
        'the environment of edge',
        'the environment of certificates',
        "Caddy's admin socket",
        "Caddy's errors",
        "Caddy's errors, writing",
        "Caddy's proxy loops",
        "Caddy's certificates",
        "Caddy's keys",
        "Caddy's root certificate",
        "Caddy's root key",
        "Caddy's authority",
      ],
      // The backup process may read all stored files, but may connect to no socket.
      backup: [
        'the secrets',
        'the home',
        'the logs',
        'the data of PostgreSQL',
        "Caddy's errors",
        "Caddy's proxy loops",
        "Caddy's certificates",
        "Caddy's keys",
        "Caddy's root certificate",
        "Caddy's root key",
        "Caddy's authority",
        'objects of the vault',
        'mails of the mail service',
        "the mail service's figures",
        'copies of databases',
        ...Object.keys(pids).map((name) => `the compiled code of ${name}`),
      ],
    }
    for (const name of isolatedProcesses) {
      const outcomes = await attempt(name, Object.values(attempts))
      const found = Object.keys(attempts).filter((_what, index) => outcomes[index] === 'ok')
      // The kernel hides the environment of a process that has an extra capability, even from the process's own user.
      const optional = name === 'edge' ? 'the environment of edge' : ''
      assert.sameMembers(
        found.filter((what) => what !== optional),
        reached[name].filter((what) => what !== optional),
        name
      )
    }
  })

  test('web and worker share files of managed databases', async ({ assert, cleanup }) => {
    const { BERTH_HOME: before } = process.env
    env.set('BERTH_HOME' as never, home.path as never)
    cleanup(() => env.set('BERTH_HOME' as never, before as never))
    const here = new LocalMachine()
    const shelf = (name: IsolatedProcess, which: StorageFolder) => {
      const as = (argv: string[]) => withParentDeathSignal(argv, 'TERM', privileges[name])
      const machine: Pick<Machine, 'spawn' | 'exec'> = {
        spawn: (argv, options) => here.spawn(as(argv), options),
        exec: (argv, options) => here.exec(as(argv), options),
      }
      return new DatabaseFileStore({ instance: null, machine } as Server, which)
    }
    const hands: [StorageFolder, IsolatedProcess, IsolatedProcess][] = [
      ['imports', 'web', 'worker'],
      ['backups', 'worker', 'web'],
    ]
    for (const [which, giver, taker] of hands) {
      await shelf(giver, which).put('one.sql', Readable.from(['create table one ()']))
      const { body } = await shelf(taker, which).get('one.sql')
      assert.equal(await text(body), 'create table one ()')
      for (const name of ['gateway', 'vault', 'mail', 'edge'] as const) {
        await assert.rejects(() => shelf(name, which).digest('one.sql'))
      }
      await shelf(taker, which).remove('one.sql')
      await assert.rejects(
        () => shelf(giver, which).digest('one.sql'),
        /no longer exists on the server/
      )
    }
  })

  test('the console, the vault service and the mail service can read only their own tables', async ({
    assert,
  }) => {
    const owner = (sql: string) => query(database.ownerUrl, sql)
    for (const service of ['vault', 'mail']) {
      await owner(`create table if not exists ${service}.kept (words text)`)
    }
    const logins = { vault: database.vaultUrl!, mail: database.mailUrl!, console: database.appUrl }
    for (const [name, url] of Object.entries(logins)) {
      for (const service of ['vault', 'mail']) {
        const insert = query(url, `insert into ${service}.kept values ('mine')`)
        if (name === service) await insert
        else await assert.rejects(() => insert, /permission denied/)
      }
      if (name === 'console') continue
      for (const table of ['people', 'sessions', 'server_instances']) {
        const there = await selectRows(
          database.ownerUrl,
          `select to_regclass('public.${table}') as t`
        )
        assert.isNotNull((there[0] as { t: unknown }).t, table)
        await assert.rejects(() => query(url, `select * from public.${table}`), /permission denied/)
      }
      const forget = `delete from ${name}.migrations`
      await assert.rejects(() => query(url, forget), /cannot delete from view/)
      await assert.rejects(() => query(url, 'create table vault.more ()'), /permission denied/)
      await assert.rejects(() => query(url, 'create schema more'), /permission denied/)
    }
  })

  test('a root shell opens through its socket and ends with its connection', async ({ assert }) => {
    const shell = await openShellViaSocket(hostShellSocketPath(home), { cols: 91, rows: 33 })
    let shown = ''
    shell.on('data', (chunk) => (shown += chunk.toString()))
    await shell.write('echo "user=$(id -u) size=$(stty size)"; echo $$ > ' + at('shell.pid') + '\n')
    await eventually(() => assert.match(shown, /user=0 size=33 91/))
    shell.resize(70, 20)
    await eventually(async () => {
      await shell.write('stty size\n')
      assert.match(shown, /20 70/)
    })
    const pid = Number(readFileSync(at('shell.pid'), 'utf8'))
    shell.close()
    await eventually(() => assert.isFalse(isRunning(pid)))

    const ended = await openShellViaSocket(hostShellSocketPath(home), { cols: 80, rows: 24 })
    await ended.write('exit 3\n')
    assert.equal((await ended.exit).code, 3)

    // Only the process that serves a connection may have the connection's socket open. If its parent had it open too,
    // killing the process would not close the connection.
    const cut = await openShellViaSocket(hostShellSocketPath(home), { cols: 80, rows: 24 })
    let over = false
    void cut.exit.then(() => (over = true))
    const find = 'until grep -qa host_shell /proc/$p/cmdline; do p=$(($(ps -o ppid= -p $p))); done'
    await cut.write(`p=$$; ${find}; kill -KILL $p\n`)
    await eventually(() => assert.isTrue(over))
  })

  test('web and worker start programs for customers’ files in sandboxes', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await serveSandboxes(home, builtSandboxCommand))
    const door = sandboxSocketPath(home)
    for (const name of ['web', 'worker'] as const) {
      assert.deepEqual(await attempt(name, [['connect', door]]), ['ok'], name)
      assert.equal(readEnvironment(supervisor.pids[name]).SANDBOX_SOCKET, door)
    }
    for (const name of ['gateway', 'vault', 'mail', 'broker', 'edge'] as const) {
      assert.deepEqual(await attempt(name, [['connect', door]]), ['EACCES'], name)
    }
    const connect = () => createConnection('/nowhere')
    const machine = new SandboxMachine({
      launchSocket: door,
      sockets: at('sandbox', 'sockets'),
      connect,
    })
    const script = 'id -G; cat "$1"; ls "$2" "$3" "$4"'
    const closed = [at('secrets.json'), at(), at('databases', 'imports'), at('sandbox', 'sockets')]
    const { stdout } = await machine.exec(['sh', '-c', script, 'sh', ...closed])
    // The sandboxed program has no group but its own, and no access to these files and folders.
    assert.match(stdout.toString(), /^21\d{8}\n$/)
    const process = await machine.exec(['ls', `/proc/${supervisor.pids.worker}`])
    assert.notEqual(process.code, 0)
  })

  test('backups are made and tested by a user that can read all files and write none', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await listenOnBackupSocket(home, builtBackupServerCommand, privileges.backup))
    const door = backupSocketPath(home)
    assert.deepEqual(await attempt('worker', [['connect', door]]), ['ok'])
    for (const name of ['web', 'gateway', 'vault', 'mail', 'broker', 'edge'] as const) {
      assert.deepEqual(await attempt(name, [['connect', door]]), ['EACCES'], name)
    }
    const [secrets, data] = [at('secrets.json'), await findRealPostgresFolder(home.path)]
    const tries: AccessAttempt[] = [
      ['read', secrets],
      ['read', join(data!, 'data/PG_VERSION')],
      ['list', at('vault')],
      ['write', secrets],
      ['write', join(data!, 'data/PG_VERSION')],
      ['write', at('vault', 'mine')],
    ]
    const no = 'EACCES'
    assert.deepEqual(await attempt('backup', tries), ['ok', 'ok', 'ok', no, no, no])

    const place = at('target')
    await rm(place, { recursive: true, force: true })
    await mkdir(place, { mode: 0o700 })
    const told = { onProgress: () => {}, signal: AbortSignal.timeout(550_000) }
    const target = { place }
    await assert.rejects(
      () => requestBackupJob(door, { job: 'look', target }, told),
      /cannot be written/
    )
    await chown(place, privileges.backup.uid, privileges.backup.gid)
    await requestBackupJob(door, { job: 'look', target }, told)
    const keep = { hours: 1, days: 1, weeks: 1, months: 1 }
    const full = await requestBackupJob(door, { job: 'backup', target, full: true, keep }, told)
    assert.isTrue(full.full)
    const point = await requestBackupJob(door, { job: 'backup', target, full: false, keep }, told)
    assert.isFalse(point.full)
    const drill = await requestBackupJob(door, { job: 'drill', target }, told)
    assert.isAbove(drill.tables!, 50)
    await requestBackupJob(door, { job: 'off' }, told)
  })

  test('a program can run from a folder that its user may not enter, and sees no other files of that folder', async ({
    assert,
  }) => {
    const closed = await mkdtemp(join(tmpdir(), 'berth-closed-'))
    await mkdir(join(closed, 'code/deep'), { recursive: true })
    await writeFile(join(closed, 'code/deep/file'), 'needed')
    await writeFile(join(closed, 'private'), 'not for others', { mode: 0o644 })
    const { uid, gid } = privileges.vault
    const script = 'cat code/deep/file; ls -A; cat private; id -u; pwd'
    const as = (prefix?: string[]) =>
      runProgram(withParentDeathSignal(['sh', '-c', script], 'TERM', { uid, gid, prefix }), {
        cwd: closed,
      })
    const prefix = mountNamespacePrefix([join(closed, 'code'), join(closed, 'code/deep')])
    assert.notInclude((await as()).output, 'needed')
    const { output } = await as(prefix)
    assert.include(output, `needed`)
    assert.notInclude(output, 'not for others')
    assert.include(output, `\n${uid}\n${closed}`)
    assert.deepEqual(mountNamespacePrefix(['/usr/bin']), [])
    await rm(closed, { recursive: true })
  })
})

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
