import { test } from '@japa/runner'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BerthHome, Secrets } from '../berth_home.js'
import { processSpec, commonProcessEnv, roleNames, type RoleName } from '../roles.js'
import { unitSandboxes } from '../service/unit_sandbox.js'
import { configuredMachineRoles, loadSettingsIntoEnv } from '../service/settings_file.js'
import {
  backupUnits,
  quoteUnitArgument,
  fileParserSandboxUnits,
  splitUnitEnv,
  unitFor,
} from '../service/units.js'
import { envNamesByRole } from '../roles.js'

const names = Object.keys(envNamesByRole) as RoleName[]

test.group('Berth as a service', () => {
  const secretsOf = () =>
    Object.fromEntries(
      [
        'appKey',
        'databaseSuperuser',
        'databaseOwner',
        'databaseApp',
        'databaseVault',
        'databaseMail',
        'vaultKey',
        'mailKey',
        'vaultControlKey',
        'mailControlKey',
      ].map((name) => [name, `secret-${name}`])
    ) as unknown as Secrets
  const home: BerthHome = { path: '/var/lib/berth', machine: 'm', logs: '/l', secrets: secretsOf() }
  const database = {
    ownerUrl: 'postgres://berth:secret-databaseOwner@127.0.0.1/berth',
    appUrl: 'postgres://berth_app:secret-databaseApp@127.0.0.1/berth',
    vaultUrl: 'postgres://berth_vault:secret-databaseVault@127.0.0.1/berth',
    mailUrl: 'postgres://berth_mail:secret-databaseMail@127.0.0.1/berth',
    description: '',
    stop: async () => {},
  }
  const ports = { web: 1, gateway: 2, vault: 3, mail: 4, mail_smtp: 5, mail_inbound: 6, metrics: 7 }
  const env = commonProcessEnv({
    home,
    database,
    ports,
    mode: 'production' as const,
    env: { PATH: '/bin', SMTP_URL: 'smtp://me:secret-smtp@relay', LOG_LEVEL: 'info' },
  })
  const roles = names.map((name) => ({
    ...processSpec(name, '/build', env),
    as: { uid: 1, gid: 2 },
  }))

  test('no unit file contains a secret, and each credential file contains only the secrets of its own role', ({
    assert,
  }) => {
    for (const each of roles) {
      const { text } = unitFor(each, { home })
      assert.notInclude(text, 'secret-', each.name)
      assert.include(text, `LoadCredential=settings:/var/lib/berth/credentials/${each.name}\n`)
    }
    const { secret, open } = splitUnitEnv(roles.find(({ name }) => name === 'mail')!)
    assert.equal(secret.SMTP_URL, 'smtp://me:secret-smtp@relay')
    assert.equal(secret.MAIL_KEY, 'secret-mailKey')
    assert.isUndefined(secret.APP_KEY)
    assert.includeMembers(Object.keys(open), ['LOG_LEVEL', 'NODE_COMPILE_CACHE', 'BERTH_ROLE'])
  })

  test('each role’s unit has a sandbox in which it can write only its own folders', ({
    assert,
  }) => {
    for (const name of [...roleNames, 'broker', 'edge', 'certificates', 'postgres']) {
      assert.property(unitSandboxes, name)
    }
    const { text } = unitFor(
      roles.find(({ name }) => name === 'vault')!,
      { home }
    )
    const binds = text.split('\n').filter((line) => line.startsWith('BindPaths='))
    assert.deepEqual(binds, [
      'BindPaths=/var/lib/berth/compiled/vault',
      'BindPaths=/var/lib/berth/vault',
      'BindPaths=/var/lib/berth/metrics/vault',
    ])
    assert.include(text, 'TemporaryFileSystem=/var/lib/berth:ro\n')
    assert.include(text, 'CapabilityBoundingSet=\n')
    const port = { ...roles[0], as: { uid: 1, gid: 2, capabilities: ['net_bind_service'] } }
    const bound = unitFor(port, { home }).text
    assert.include(bound, 'AmbientCapabilities=CAP_NET_BIND_SERVICE\n')
    assert.include(bound, 'PrivateUsers=no\n')
  })

  test('the backup user can read all files, and only the worker can request backups', ({
    assert,
  }) => {
    const [socket, service] = backupUnits(home, { uid: 1, gid: 2 })
    assert.include(socket.text, 'ListenStream=/var/lib/berth/backup/door/socket\n')
    assert.include(socket.text, 'SocketGroup=berth-worker\n')
    assert.include(service.text, 'User=1\nGroup=2\n')
    assert.include(service.text, 'CapabilityBoundingSet=CAP_DAC_READ_SEARCH\n')
    assert.notInclude(service.text, 'secret-')
  })

  test('root creates a sandbox for each file, and only web and worker can request one', ({
    assert,
  }) => {
    const [socket, service] = fileParserSandboxUnits(home)
    assert.include(socket.text, 'ListenStream=/var/lib/berth/sandbox/door/socket\n')
    assert.include(socket.text, 'SocketGroup=berth-databases\n')
    assert.include(service.text, '"--net" "--ipc"')
    assert.include(service.text, '"--clear-groups" "--no-new-privs"')
    assert.include(service.text, 'uid=$$((2100000000 + $$$$))')
    assert.match(service.text, /MemoryMax=2G\n.*TasksMax=96\nRuntimeMaxSec=13h\n/s)
  })

  test('arguments in unit files are quoted as systemd expects it', ({ assert }) => {
    assert.equal(quoteUnitArgument('a b'), '"a b"')
    assert.equal(quoteUnitArgument('50% of $HOME "x" \\ \n'), '"50%% of $$HOME \\"x\\" \\\\ \\n"')
  })

  test('a process reads its settings from its credential file', async ({ assert }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-credentials-'))
    await writeFile(join(folder, 'settings'), JSON.stringify({ HOST: 'not a host!' }))
    const argv = ['--import', '@poppinss/ts-exec', 'bin/role.ts', 'broker']
    const { stdout, stderr } = spawnSync(process.execPath, argv, {
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', CREDENTIALS_DIRECTORY: folder },
    })
    await rm(folder, { recursive: true })
    assert.match(`${stdout}${stderr}`, /HOST/)
  })

  test('settings are read from the settings file, and variables that are already set take precedence', async ({
    assert,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-settings-'))
    const file = join(folder, 'berth.conf')
    await writeFile(file, '# words\nPORT=4000\nSMTP_URL="smtp://a#b"\nAPP_URL=\nHOST=10.0.0.1\n')
    const into: NodeJS.ProcessEnv = { HOST: '127.0.0.1' }
    loadSettingsIntoEnv(file, into)
    await rm(folder, { recursive: true })
    assert.deepEqual(into, { HOST: '127.0.0.1', PORT: '4000', SMTP_URL: 'smtp://a#b' })
  })

  test('the setting ROLES selects which roles run, in start order', ({ assert }) => {
    assert.deepEqual(configuredMachineRoles({ ROLES: 'vault, web' }), ['web', 'vault'])
    assert.include(configuredMachineRoles({}), 'host')
    assert.throws(() => configuredMachineRoles({ ROLES: 'web,wbe' }), /"wbe"/)
  })
})
