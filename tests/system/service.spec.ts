import { INSTALLATION_HOME_PATH } from '../../cli/host/incus.js'
import { chooseFreeSubnet, readLocalRoutes } from '../../cli/host/subnet.js'
import type { Secrets } from '../../cli/berth_home.js'
import { writeDebianPackage } from '../../cli/debian_package/build.js'
import { runOrThrow, withParentDeathSignal } from '../../cli/run_program.js'
import type { ServiceStatus } from '../../cli/service/status.js'
import { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import { documentedCommand } from '#tests/support/documented_commands'
import { uniqueName } from '#tests/support/hosts'
import { Visitor } from '#tests/support/people'
import {
  ACCESS_ATTEMPT_PROGRAM,
  type AccessAttempt,
  NO_CAPABILITIES,
} from '#tests/support/process_privileges'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

const socket = process.env.INCUS_SOCKET
const NODE_PATH = '/usr/lib/berth/node/bin/node'
const SETTINGS_PATH = '/etc/berth/berth.conf'
type Account = { email: string; password: string }
const SMTP_SECRET = 'known-to-smtp'
const NEXT_VERSION = '99.0.0'
/** Maximum exposure of each systemd unit (systemd-analyze security), from 0 to 10 (not confined at all). */
const exposure: Record<string, number> = {
  web: 1.5,
  gateway: 1.5,
  vault: 1.5,
  mail: 1.5,
  worker: 1.5,
  broker: 0.5,
  edge: 1.5,
  certificates: 1,
  postgres: 1.5,
}
const confined = Object.keys(exposure)
/** Names of status checks that fail in a container: without loop devices and FUSE it cannot be a host. */
const notHere = ['host', 'incus']

/** Writes `next.deb` into the folder of the package: the same package as version 99.0.0. */
async function writeNextPackage(folder: string): Promise<void> {
  const [name] = (await readdir(folder)).filter((file) => file.startsWith('berth_'))
  // Unpacks outside the instance, because 12,000 files would take longer inside.
  const stage = await mkdtemp(join(tmpdir(), 'berth-next-'))
  try {
    await runOrThrow(['dpkg-deb', '--raw-extract', join(folder, name), stage])
    await chmod(stage, 0o755)
    for (const file of ['release.json', 'package.json', 'build/package.json']) {
      const path = join(stage, 'usr/lib/berth', file)
      const described = JSON.parse(await readFile(path, 'utf8')) as object
      await writeFile(path, JSON.stringify({ ...described, version: NEXT_VERSION }))
    }
    const control = join(stage, 'DEBIAN/control')
    const text = await readFile(control, 'utf8')
    await writeFile(control, text.replace(/^Version: .*$/m, `Version: ${NEXT_VERSION}`))
    const file = join(folder, 'next.deb')
    await runOrThrow(['dpkg-deb', '--root-owner-group', '-Znone', '--build', stage, file])
  } finally {
    await rm(stage, { recursive: true })
  }
}

test.group('Berth as a service of Debian 13', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  const incus = Incus.local(socket)
  const system = uniqueName('service')
  // The test's own bridge. The customers' bridge blocks the networks of this machine, through which the instance
  // downloads Debian's packages.
  const network = `bs${process.pid}`.slice(0, 15)
  let packageFolder: string
  let reachesDebian = false
  let secrets: Secrets

  const tried = async (argv: string[], timeout = 300, stdin?: string) => {
    const how = { timeout, stdin }
    const { exitCode, stdout, stderr } = await incus.instances.exec(system, argv, how)
    return { exitCode, words: `${stdout}${stderr}`, output: stdout.toString() }
  }
  const inside = async (argv: string[], timeout = 300, stdin?: string) => {
    const { exitCode, words, output } = await tried(argv, timeout, stdin)
    if (exitCode !== 0) throw new Error(`${argv.join(' ').slice(0, 80)}: ${exitCode}\n${words}`)
    return output
  }
  const berth = (...argv: string[]) => tried(['berth', ...argv], 900)
  /**
   * Runs a command that upgrades. If it fails, the error contains all output, so that it shows which step did not end.
   * @returns the output
   */
  const upgrade = async (...argv: string[]) => {
    const log = '/var/log/upgrade.log'
    const logged = ['sh', '-c', `exec "$@" > ${log} 2>&1`, 'sh', ...argv]
    const end = await tried(logged, 1_200).then(
      ({ exitCode }) => exitCode,
      (error: Error) => error.message
    )
    const output = await inside(['cat', log])
    if (end !== 0) throw new Error(`${argv.join(' ')}: ${end}\n${output}`)
    return output
  }
  /** Runs a command of the documentation unchanged. */
  const does = (command: string, file = 'docs/guides/install.md') =>
    inside(['sh', '-c', documentedCommand(file, command)], 900)
  const firstAdmin = async () =>
    JSON.parse(await inside(['cat', `${INSTALLATION_HOME_PATH}/first-admin.json`])) as Account
  const signedIn = async ({ email, password }: Account) => {
    const visitor = new Visitor(await address())
    await visitor.page('/admin/login')
    const answer = await visitor.post('/admin/login', { email, password })
    if (!answer.json.success) throw new Error(answer.text)
    return visitor
  }
  const status = async () => {
    const { exitCode, output } = await berth('status', '--json')
    return { exitCode, ...(JSON.parse(output) as ServiceStatus) }
  }
  const bad = ({ lines }: ServiceStatus) => lines.filter(({ ok }) => !ok).map(({ what }) => what)
  const shown = async (unit: string, property: string) =>
    (await inside(['systemctl', 'show', '-P', property, `berth-${unit}.service`])).trim()
  const address = async () => {
    const [line] = (await inside(['ip', '-4', '-o', 'addr', 'show', 'eth0'])).split('\n')
    return `http://${/inet ([\d.]+)/.exec(line)![1]}:3333`
  }

  const installPackage = async () => {
    const how = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y']
    const all = 'exec "$@" /package/berth_*.deb'
    const argv = [...how, 'install', '--no-install-recommends']
    const said = await inside(['sh', '-c', all, 'sh', ...argv], 900)
    if (!said.includes('Berth now starts with this machine')) throw new Error(said)
  }

  // Longer than all timeouts of commands in a test together. The error of such a timeout names the command.
  group.each.timeout(4_500_000)
  group.each.skip(() => !reachesDebian, "the instance cannot reach Debian's packages")
  group.setup(async () => {
    packageFolder = await mkdtemp(join(tmpdir(), 'berth-deb-'))
    await chmod(packageFolder, 0o755)
    await incus.networks.create({
      name: network,
      config: {
        'ipv4.address': chooseFreeSubnet(network, await readLocalRoutes()),
        'ipv4.nat': 'true',
        'ipv6.address': 'none',
      },
    })
    const { root: disk } = (await incus.profiles.get('default')).devices
    const made = await incus.instances.create({
      name: system,
      image: 'berth-base',
      config: { 'limits.memory': '3GiB' },
      devices: {
        root: { ...disk!, size: '8GiB' },
        eth0: { type: 'nic', name: 'eth0', network },
        package: { type: 'disk', readonly: 'true', source: packageFolder, path: '/package' },
      },
      start: true,
    })
    await Promise.all([writeDebianPackage(packageFolder), made.wait(300)])
    await eventually(() => inside(['systemctl', 'is-active', 'dbus.socket']), 300_000)
    // The packages need not survive a power cut, so dpkg does not wait for fsync, which takes most of the installation
    // time.
    await incus.instances.pushFile(system, '/etc/dpkg/dpkg.cfg.d/unsafe-io', 'force-unsafe-io\n')
    // The base image runs a web server for customers' sites. It occupies the port that the edge needs.
    await inside(['systemctl', 'disable', '--now', 'apache2.service'])
    const update = ['apt-get', '-q', '-o', 'APT::Update::Error-Mode=any', 'update']
    await eventually(() => inside(update, 300), 120_000).then(
      () => (reachesDebian = true),
      () => {}
    )
    if (reachesDebian) {
      await installPackage()
      secrets = JSON.parse(
        await inside(['cat', `${INSTALLATION_HOME_PATH}/secrets.json`])
      ) as Secrets
    }
    return async () => {
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(300)
      await (await incus.instances.delete(system)).wait(300)
      await incus.networks.delete(network)
      await incus.close()
      await rm(packageFolder, { recursive: true })
    }
  })

  test('the package installs and starts everything, and status reports problems', async ({
    assert,
  }) => {
    const seen = await eventually(async () => {
      const now = await status()
      assert.includeMembers(notHere, bad(now))
      return now
    })
    assert.equal(seen.exitCode, seen.ok ? 0 : 1)
    const running = seen.lines.filter(({ state }) => state === 'running').map(({ what }) => what)
    assert.includeMembers(running, confined)
    for (const { what, detail } of seen.lines) {
      if (['web', 'gateway', 'vault', 'mail', 'worker', 'broker', 'edge'].includes(what))
        assert.include(detail, 'health: ok', what)
    }
    const words = (await berth('status')).words
    assert.match(words, /web +ok +running +port 3333, health: ok/)
    assert.match(words, /database +ok +answers +system, PostgreSQL 17/)
    assert.match(
      await inside(['journalctl', '--no-pager', '-t', 'berth-web']),
      /berth-web\[\d+\]: /
    )
  })

  test('each unit has the documented restrictions', async ({ assert }) => {
    for (const [name, most] of Object.entries(exposure)) {
      const unit = `berth-${name}.service`
      const threshold = `--threshold=${most * 10}`
      const { exitCode, words } = await tried(['systemd-analyze', 'security', threshold, unit])
      assert.equal(exitCode, 0, words.split('\n').slice(-3).join('\n'))
      const pid = await shown(name, 'MainPID')
      const facts = await inside(['cat', `/proc/${pid}/status`])
      assert.match(facts, /^NoNewPrivs:\t1$/m, name)
      assert.match(facts, /^Seccomp:\t2$/m, name)
      assert.notMatch(facts, /^Uid:\t0/m, name)
      if (name !== 'edge') assert.include(facts, `CapBnd:\t${NO_CAPABILITIES}`, name)
      assert.match(await shown(name, 'MemoryMax'), /^\d+$/, name)
    }
  })

  test('neither systemd nor the environment of a process shows a secret', async ({ assert }) => {
    await inside([
      'sh',
      '-c',
      `echo SMTP_URL=smtp://berth:${SMTP_SECRET}@127.0.0.1:1 >> ${SETTINGS_PATH}`,
    ])
    const { exitCode, words } = await berth('install')
    assert.equal(exitCode, 0, words)
    const units = confined.map((name) => `berth-${name}.service`)
    const seen = [
      await inside(['systemctl', 'show', ...units]),
      await inside(['systemctl', 'cat', ...units]),
    ]
    for (const name of confined) {
      seen.push(await inside(['cat', `/proc/${await shown(name, 'MainPID')}/environ`]))
      seen.push(await inside(['cat', `/proc/${await shown(name, 'MainPID')}/cmdline`]))
    }
    for (const [name, secret] of Object.entries({ ...secrets, smtp: SMTP_SECRET })) {
      assert.isFalse(
        seen.some((text) => text.includes(secret)),
        name
      )
    }
    // The process gets its secrets from a credentials file that no other process can read.
    const told = await inside(['cat', '/run/credentials/berth-mail.service/settings'])
    assert.include(told, SMTP_SECRET)
    assert.include(told, secrets.mailKey)
    assert.notInclude(told, secrets.appKey)
  })

  test('each process reads and writes only its own folder', async ({ assert }) => {
    const at = (path: string) => `${INSTALLATION_HOME_PATH}/${path}`
    const attempts: Record<string, AccessAttempt> = {
      'the secrets': ['read', at('secrets.json')],
      'the settings': ['read', SETTINGS_PATH],
      'what web is told': ['read', '/run/credentials/berth-web.service/settings'],
      'what web is told, at its source': ['read', at('credentials/web')],
      'objects of the vault': ['write', at('vault/attempt')],
      mails: ['write', at('mail/attempt')],
      'files for databases': ['write', at('databases/imports/attempt')],
      'copies of databases': ['write', at('databases/backups/attempt')],
      'data of PostgreSQL': ['list', at('postgres/data')],
      "Caddy's admin socket": ['connect', at('edge/admin.sock')],
      "web's way to Incus": ['connect', at('broker/web/incus')],
      'a root shell': ['connect', at('shell/socket')],
      'the home, writing': ['write', at('attempt')],
      'the code, writing': ['write', '/usr/lib/berth/build/bin/role.js'],
      'the system, writing': ['write', '/etc/attempt'],
      'homes of people': ['list', '/root'],
      'the disk of the machine': ['read', '/dev/fuse'],
      'a file for a while': ['write', '/tmp/attempt'],
    }
    const all = ['a file for a while']
    const databases = ['files for databases', 'copies of databases']
    const reached: Record<string, string[]> = {
      web: [...all, ...databases, 'what web is told', "web's way to Incus"],
      gateway: [...all, 'a root shell'],
      vault: [...all, 'objects of the vault'],
      mail: [...all, 'mails'],
      worker: [...all, ...databases, "Caddy's admin socket"],
      broker: [...all, "web's way to Incus"],
      edge: [...all, "Caddy's admin socket"],
      postgres: [...all, 'data of PostgreSQL'],
    }
    for (const name of Object.keys(reached)) {
      const [pid, uid, gid, groups] = await Promise.all(
        ['MainPID', 'User', 'Group', 'SupplementaryGroups'].map((property) => shown(name, property))
      )
      const as = {
        uid: Number(uid),
        gid: Number(gid),
        groups: groups.split(' ').filter(Boolean).map(Number),
      }
      const argv = withParentDeathSignal(
        [NODE_PATH, '-e', ACCESS_ATTEMPT_PROGRAM, JSON.stringify(Object.values(attempts))],
        'TERM',
        as
      )
      const outcomes = JSON.parse(
        await inside(['nsenter', '-t', pid, '-m', '-n', '--', ...argv])
      ) as string[]
      const found = Object.keys(attempts).filter((_what, index) => outcomes[index] === 'ok')
      assert.sameMembers(found, reached[name], name)
      // Two processes can write to this folder. A file that the first one created would make the second one's attempt
      // fail.
      await inside(['find', at('databases'), '-type', 'f', '-delete'])
    }
    assert.notExists((await inside(['ls', '/tmp'])).match(/attempt/), 'each has a /tmp of its own')
  })

  test('killed roles and a killed PostgreSQL restart', async ({ assert }) => {
    for (const name of ['vault', 'postgres', 'web']) {
      const pid = await shown(name, 'MainPID')
      await inside(['kill', '-KILL', pid])
      await eventually(async () => {
        assert.notInclude(['0', pid], await shown(name, 'MainPID'))
        const broken = bad(await status()).filter((what) => !notHere.includes(what))
        assert.deepEqual(broken, [])
      })
    }
  })

  test('on a machine that is no host, no broker runs and the status is ok', async ({ assert }) => {
    await inside(['sh', '-c', `echo ROLES=web,gateway,vault,mail,worker,edge >> ${SETTINGS_PATH}`])
    await does('berth install')
    const seen = await eventually(async () => {
      const now = await status()
      assert.deepEqual(bad(now), [])
      return now
    })
    assert.equal(seen.exitCode, 0)
    assert.notInclude(
      seen.lines.map(({ what }) => what),
      'broker'
    )
    assert.include(await does('berth status'), 'All parts are running.')
  })

  test('is inspected, stopped and started with the commands of the guide', async ({
    assert,
    cleanup,
  }) => {
    const said = JSON.parse(await does('berth status --json')) as ServiceStatus
    assert.isTrue(said.ok, said.lines.map(({ what, detail }) => `${what}: ${detail}`).join('\n'))
    assert.include(await does("journalctl -u 'berth-*'"), 'berth-web')
    const pid = await shown('worker', 'MainPID')
    await does('systemctl restart berth-worker.service')
    assert.notEqual(await shown('worker', 'MainPID'), pid)
    assert.match(await does('systemd-analyze security berth-web.service'), /exposure level/)
    cleanup(async () => void (await inside(['systemctl', 'start', 'berth.target'])))
    await does('systemctl stop berth.target')
    // `systemctl stop` waits only for the target. The target's units may stop later.
    await eventually(async () => assert.equal(await shown('web', 'ActiveState'), 'inactive'))
  })

  test('everything starts after a reboot, and staff can sign in', async ({ assert }) => {
    const boot = await inside(['cat', '/proc/sys/kernel/random/boot_id'])
    assert.isNotEmpty(boot)
    await (await incus.instances.setState(system, 'restart')).wait(600)
    await eventually(async () => {
      const now = await status()
      assert.deepEqual(bad(now), [])
    }, 600_000)
    const visitor = await signedIn(await firstAdmin())
    assert.equal((await visitor.page('/admin/system')).status, 200)
  })

  test('a backup is restored on an empty machine', async ({ assert }) => {
    const owner = await firstAdmin()
    const change = await (
      await signedIn(owner)
    ).post('/admin/profile/update', { name: 'Keeper of boats' })
    assert.isTrue(change.json.success, change.text)
    await inside(['install', '-d', '-o', 'berth-backup', '/mnt/backup'])
    assert.match(await inside(['berth', 'backup', '/mnt/backup'], 900), /All data up to/)
    const key = /Backup key +(\S+)/.exec(await inside(['berth', 'backup', '--sheet']))![1]

    await inside(['sh', '-c', 'DEBIAN_FRONTEND=noninteractive apt-get -q -y purge berth'], 900)
    for (const path of [INSTALLATION_HOME_PATH, SETTINGS_PATH]) {
      assert.equal((await tried(['test', '-e', path])).exitCode, 1, path)
    }
    await installPackage()
    const stranger = await firstAdmin()
    assert.notEqual(stranger.password, owner.password)

    const runbook = 'docs/runbooks/restore.md'
    await does("systemctl stop 'berth-*' berth.target", runbook)
    const restores = documentedCommand(runbook, 'berth restore /mnt/backup --replace')
    const opened = ['sh', '-c', `BACKUP_KEY=$(cat) exec ${restores}`]
    assert.include(await inside(opened, 600, key), 'Restored ')
    await does('cp /var/lib/berth/berth.conf /etc/berth/berth.conf', runbook)
    await does('berth install', runbook)

    await eventually(async () => assert.deepEqual(bad(await status()), []))
    assert.deepEqual(
      JSON.parse(await inside(['cat', `${INSTALLATION_HOME_PATH}/secrets.json`])),
      secrets
    )
    assert.include(
      await inside(['cat', SETTINGS_PATH]),
      'ROLES=web,gateway,vault,mail,worker,edge\n'
    )
    assert.include((await (await signedIn(owner)).page('/admin/profile')).text, 'Keeper of boats')
    await assert.rejects(() => signedIn(stranger))
  }).retry(0)

  test('a newer package takes over while people work, and the previous one can be restored', async ({
    assert,
  }) => {
    const broken = async () => bad(await status()).filter((what) => !notHere.includes(what))
    const releaseOf = async (role: string) =>
      (await status()).lines.find(({ what }) => what === role)!.detail
    const visitor = await signedIn(await firstAdmin())

    const before = await releaseOf('web')
    await writeNextPackage(packageFolder)

    let watching = true
    const failed: string[] = []
    const watch = async () => {
      while (watching) {
        const start = Date.now()
        const answer = await visitor.page('/admin/system').catch((error: Error) => error)
        if (answer instanceof Error || answer.status !== 200) failed.push(inspect(answer))
        // The pause is as long as the request, at least 50 ms, so that a slow machine can do other work too.
        await sleep(Math.max(50, Date.now() - start))
      }
    }
    const watched = watch()
    try {
      const output = await upgrade('dpkg', '-i', '/package/next.deb')
      assert.include(output, `${NEXT_VERSION} runs`, output)
      for (const role of ['web', 'gateway', 'vault', 'mail', 'worker']) {
        assert.include(await releaseOf(role), NEXT_VERSION, role)
      }
      await eventually(async () => assert.deepEqual(await broken(), []))
      await upgrade('berth', 'upgrade', '--back')
      assert.equal((await releaseOf('web')).includes(NEXT_VERSION), false, before)
    } finally {
      watching = false
      await watched
    }
    assert.deepEqual(failed, [])
    // Waits: on a busy machine, a process that had no time to respond counts as broken for a moment.
    await eventually(async () => assert.deepEqual(await broken(), []))
  })

  test('the database moves to Debian’s PostgreSQL and back, and everything keeps working', async ({
    assert,
  }) => {
    const refused = await berth('database', 'move', '--to', 'system')
    assert.include(refused.words, 'The database already runs on /usr/lib/postgresql/17')
    const psql = (...args: string[]) =>
      inside(['runuser', '-u', 'postgres', '--', 'psql', '-Atc', ...args])
    await psql(`create role mover superuser login password 'known-to-mover'`)
    const mover = 'postgres://mover@127.0.0.1:5432'
    const argv = ['berth', 'database', 'move', '--to', mover]
    const moved = /Copy and compare: \d+ rows are equal/
    assert.match(await inside(['env', 'PGPASSWORD=known-to-mover', ...argv], 900), moved)
    const works = () =>
      eventually(async () => {
        const now = await status()
        assert.deepEqual(bad(now), [])
        return now
      })
    const there = await works()
    const database = ({ lines }: ServiceStatus) => lines.find(({ what }) => what === 'database')!
    assert.match(database(there).detail, /^127\.0\.0\.1:5432, PostgreSQL 17/)
    assert.notInclude(
      there.lines.map(({ what }) => what),
      'postgres'
    )
    // Passwords in an installed service are hashed at full cost (scrypt, N=16384). Tests use a lower cost.
    assert.match(await psql('select password from people', 'berth'), /^\$scrypt\$n=16384,/)
    const backup = await berth('backup', '/mnt/backup')
    assert.match(backup.words, /does not back up the PostgreSQL server at 127\.0\.0\.1:5432/)

    assert.match(await does('berth database move --to system'), moved)
    const here = await works()
    assert.match(database(here).detail, /^system, PostgreSQL 17/)
    // The old database's files must not be deleted.
    await inside(['test', '-f', `${INSTALLATION_HOME_PATH}/postgres-old/data/PG_VERSION`])
    await signedIn(await firstAdmin())
    await does('rm -r /var/lib/berth/postgres-old')
    await works()
  })

  test('removing the package keeps the data, and purging it leaves nothing', async ({ assert }) => {
    const units = () => inside(['sh', '-c', 'ls /etc/systemd/system | grep berth || true'])
    const answers = 'APT::Get::Assume-Yes "true";\n'
    await incus.instances.pushFile(system, '/etc/apt/apt.conf.d/answers', answers)
    await does('berth uninstall')
    assert.equal(await units(), 'pm2-berth.service\n')
    await does('apt remove berth')
    assert.equal((await tried(['test', '-e', '/usr/lib/berth/build'])).exitCode, 1)
    await inside(['test', '-f', `${INSTALLATION_HOME_PATH}/secrets.json`])
    await inside(['test', '-f', SETTINGS_PATH])
    await does('apt purge berth')
    for (const path of [INSTALLATION_HOME_PATH, '/etc/berth', '/usr/lib/berth']) {
      assert.equal((await tried(['test', '-e', path])).exitCode, 1, path)
    }
    const users = await inside(['sh', '-c', 'grep ^berth- /etc/passwd || true'])
    assert.equal(users, '')
  })
})
