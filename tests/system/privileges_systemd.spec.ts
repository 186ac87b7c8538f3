import { installRoot } from '../../cli/paths.js'
import { isolatedProcesses, type IsolatedProcess } from '../../cli/process_users.js'
import { roleNames } from '../../cli/roles.js'
import type { Secrets } from '../../cli/berth_home.js'
import { withParentDeathSignal } from '../../cli/run_program.js'
import { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import {
  ACCESS_ATTEMPT_PROGRAM,
  type AccessAttempt,
  NO_CAPABILITIES,
  secretsByProcess,
  type ProcessDetails,
} from '#tests/support/process_privileges'
import { test } from '@japa/runner'
import { existsSync, realpathSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socket = process.env.INCUS_SOCKET
const CODE_FOLDER = '/opt/berth'
const NODE_FOLDER = '/opt/node'
const BUILD_STAMP_PATH = 'build/berth-build.json'
const BERTH_FOLDER = '/var/lib/berth'
const SERVICE_UNIT = 'berth.service'
/** Program that prints what the kernel reports about the processes of this service. */
const LIST_PROCESSES_PROGRAM = `
import { listProcessesInCgroup } from '${CODE_FOLDER}/tests/support/process_privileges.ts'
process.stdout.write(JSON.stringify(listProcessesInCgroup('${SERVICE_UNIT}')))
`
/**
 * The edge (Caddy) is not tested here. It starts only after Incus, which cannot be installed without network in this
 * instance.
 */
const here = [...roleNames, 'broker'] as const
const secret = {
  GOOGLE_CLIENT_SECRET: 'known-to-google',
  SMTP_URL: 'smtp://berth:known-to-smtp@127.0.0.1:1',
  MYSQL_URL: 'mysql://keeper:known-to-mysql@127.0.0.1:1',
}

test.group('Privileges of Berth’s processes under systemd', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  const incus = Incus.local(socket)
  const system = uniqueName('systemd')
  let seen: ProcessDetails[]
  let secrets: Secrets
  /** Ids of users and groups, by the user's name. */
  const users = new Map<string, { uid: number; gid: number }>()
  const groups = new Map<string, number>()

  const inside = async (argv: string[]) => {
    const { exitCode, stdout, stderr } = await incus.instances.exec(system, argv, { timeout: 300 })
    if (exitCode !== 0)
      throw new Error(`${argv.slice(0, 3).join(' ')} ended with ${exitCode}: ${stderr}`)
    return stdout.toString()
  }
  const look = async () =>
    JSON.parse(
      await inside([NODE_FOLDER, '--input-type=module', '-e', LIST_PROCESSES_PROGRAM])
    ) as ProcessDetails[]

  group.setup(async () => {
    // Only the user who built Berth may read this file, but inside the instance another user needs it.
    const stamp = await mkdtemp(join(tmpdir(), 'berth-stamp-'))
    await copyFile(join(installRoot, BUILD_STAMP_PATH), join(stamp, 'copy'))
    await chmod(join(stamp, 'copy'), 0o644)
    const { root: disk } = (await incus.profiles.get('default')).devices
    const lent = (source: string, path: string) => ({
      type: 'disk',
      readonly: 'true',
      source,
      path,
    })
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.memory': '2GiB' },
      devices: {
        root: { ...disk!, size: '4GiB' },
        eth0: { type: 'none' },
        code: lent(installRoot, CODE_FOLDER),
        stamp: lent(join(stamp, 'copy'), join(CODE_FOLDER, BUILD_STAMP_PATH)),
        node: lent(realpathSync(process.execPath), NODE_FOLDER),
      },
      start: true,
    }
    await (await incus.instances.create(wanted)).wait(300)
    await eventually(() => inside(['systemctl', 'is-active', 'dbus.socket']), 300_000)
    const settings = Object.entries({ BERTH_HOME: BERTH_FOLDER, ...secret })
    await inside([
      'systemd-run',
      `--unit=${SERVICE_UNIT}`,
      `--property=WorkingDirectory=${CODE_FOLDER}`,
      ...settings.map(([name, value]) => `--setenv=${name}=${value}`),
      '--',
      NODE_FOLDER,
      '--import',
      '@poppinss/ts-exec',
      'cli/main.ts',
      'up',
    ])
    const journal = () => inside(['journalctl', '--no-pager', '-o', 'cat', '-u', SERVICE_UNIT])
    const said = await eventually(async () => {
      const words = await journal()
      const state = await inside(['systemctl', 'show', '-P', 'ActiveState', SERVICE_UNIT])
      if (state.trim() === 'active' && !words.includes('Ready after')) throw new Error(words)
      return words
    }, 600_000)
    // The unit has stopped. Its last lines in the journal may be newer than the first reading, so the journal is read
    // again.
    if (!said.includes('Ready after')) throw new Error(await journal())
    await eventually(async () => {
      for (const port of [3333, 3334, 3335]) {
        await inside(['curl', '-fsS', `http://127.0.0.1:${port}/health`])
      }
      for (const client of ['web', 'gateway']) {
        await inside(['test', '-S', `${BERTH_FOLDER}/broker/${client}/incus`])
      }
    }, 300_000)
    for (const line of (await inside(['cat', '/etc/passwd', '/etc/group'])).trim().split('\n')) {
      const [name, , id, gid, ...rest] = line.split(':')
      if (rest.length) users.set(name, { uid: Number(id), gid: Number(gid) })
      else groups.set(name, Number(id))
    }
    secrets = JSON.parse(await inside(['cat', `${BERTH_FOLDER}/secrets.json`])) as Secrets
    seen = await look()
    process.stdout.write('    without Caddy and Incus, which are tested without systemd\n')
    return async () => {
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(300)
      await (await incus.instances.delete(system)).wait(300)
      await incus.close()
      await rm(stamp, { recursive: true })
    }
  })

  const roleOf = ({ command }: ProcessDetails) =>
    command.some((part) => part.endsWith('/bin/role.js')) ? command.at(-1) : undefined
  const seenOf = (name: string) => seen.find((each) => roleOf(each) === name)!
  const groupsOf = (name: IsolatedProcess) => {
    // With systemd, Berth uses the system's own Incus.
    const incusGroup = groups.get('incus-admin')!
    if (name === 'broker') return [incusGroup]
    const shared = ['berth-metrics', 'berth-databases'].map((group) => groups.get(group)!)
    if (name === 'web') return shared
    return name === 'worker' ? [incusGroup, ...shared, groups.get('berth-edge')!] : []
  }

  test('systemd starts all processes, and only the command itself is root', async ({ assert }) => {
    assert.equal((await inside(['cat', '/proc/1/comm'])).trim(), 'systemd')
    const asRoot = seen.filter(({ identity }) => identity.ids.split(' ').includes('0'))
    assert.lengthOf(asRoot, 1, JSON.stringify(asRoot.map(({ command }) => command)))
    assert.include(asRoot[0].command, `${CODE_FOLDER}/build/cli/main.js`)
    assert.sameMembers(
      seen.map(roleOf).filter((name) => name !== undefined),
      [...here]
    )
    assert.isAbove(seen.filter(({ command }) => /postgres/.test(command[0])).length, 1)
  })

  test('each process has a user of its own without capabilities, and cannot gain any', ({
    assert,
  }) => {
    for (const each of seen) {
      const { identity, command } = each
      const name = roleOf(each) ?? (/postgres/.test(command[0]) ? 'postgres' : undefined)
      if (!name) continue
      const { uid, gid } = users.get(`berth-${name}`)!
      assert.equal(identity.ids, [...new Set([uid, '/', gid])].join(' '), name)
      assert.deepEqual(identity.capabilities.slice(-1), [NO_CAPABILITIES], name)
      if (name === 'postgres') continue
      const its = groupsOf(name as IsolatedProcess).sort((a, b) => a - b)
      assert.deepEqual(identity.groups, its, name)
      assert.deepEqual(identity.capabilities, [NO_CAPABILITIES], name)
      assert.equal(identity.NoNewPrivs, '1', name)
    }
    const own = isolatedProcesses.map((name) => users.get(`berth-${name}`)!.uid)
    assert.lengthOf(
      new Set([0, users.get('berth-postgres')!.uid, ...own]),
      isolatedProcesses.length + 2
    )
  })

  test('each process gets only its own secrets', ({ assert }) => {
    const all: Record<string, string> = {
      ...secrets,
      google: 'known-to-google',
      smtp: 'known-to-smtp',
      mysql: 'known-to-mysql',
    }
    for (const name of here) {
      const { environment, command } = seenOf(name)
      const values = Object.values(environment).join('\n')
      const known = Object.keys(all).filter((each) => values.includes(all[each]))
      assert.sameMembers(
        known,
        secretsByProcess[name].filter((each) => each in all),
        name
      )
      for (const each of Object.values(all)) assert.notInclude(command.join(' '), each, name)
    }
  })

  test('each process has only its own files open', ({ assert }) => {
    for (const name of here) {
      const own = [`${BERTH_FOLDER}/compiled/${name}/`, `${CODE_FOLDER}/node_modules/`]
      if (name === 'vault') own.push(`${BERTH_FOLDER}/vault/`)
      const foreign = seenOf(name).open.files.filter(
        (path) => path !== '/dev/null' && !own.some((folder) => path.startsWith(folder))
      )
      assert.deepEqual(foreign, [], name)
    }
  })

  test('no process can access the files and sockets of another process', async ({ assert }) => {
    const attempts: Record<string, AccessAttempt> = {
      'the secrets': ['read', `${BERTH_FOLDER}/secrets.json`],
      'the home': ['list', BERTH_FOLDER],
      'the logs': ['list', `${BERTH_FOLDER}/logs`],
      'the data of PostgreSQL': ['list', `${BERTH_FOLDER}/postgres`],
      'a root shell': ['connect', `${BERTH_FOLDER}/shell/socket`],
      "web's way to Incus": ['connect', `${BERTH_FOLDER}/broker/web/incus`],
      "the gateway's way to Incus": ['connect', `${BERTH_FOLDER}/broker/gateway/incus`],
      'objects of the vault': ['list', `${BERTH_FOLDER}/vault`],
      'mails of the mail service': ['list', `${BERTH_FOLDER}/mail`],
      'the command': [
        'read',
        `/proc/${seen.find(({ identity }) => identity.ids === '0 /')!.pid}/environ`,
      ],
      ...Object.fromEntries(
        here.map((name): [string, AccessAttempt] => [
          `the environment of ${name}`,
          ['read', `/proc/${seenOf(name).pid}/environ`],
        ])
      ),
    }
    const reached: Partial<Record<IsolatedProcess, string[]>> = {
      web: ["web's way to Incus"],
      gateway: ["the gateway's way to Incus", 'a root shell'],
      broker: ["web's way to Incus", "the gateway's way to Incus"],
      vault: ['objects of the vault'],
      mail: ['mails of the mail service'],
    }
    for (const name of here) {
      const as = { ...users.get(`berth-${name}`)!, groups: groupsOf(name) }
      const argv = [
        NODE_FOLDER,
        '-e',
        ACCESS_ATTEMPT_PROGRAM,
        JSON.stringify(Object.values(attempts)),
      ]
      const outcomes = JSON.parse(await inside(withParentDeathSignal(argv, 'TERM', as))) as string[]
      const found = Object.keys(attempts).filter((_what, index) => outcomes[index] === 'ok')
      const expected = [`the environment of ${name}`, ...(reached[name] ?? [])]
      assert.sameMembers(found, expected, name)
    }
  })

  test('all processes end with the service', async ({ assert }) => {
    await inside(['systemctl', 'stop', SERVICE_UNIT])
    const left = seen.map(({ pid }) => `/proc/${pid}`)
    assert.equal(await inside(['sh', '-c', 'ls -d "$@" 2> /dev/null || true', 'sh', ...left]), '')
  })
})
