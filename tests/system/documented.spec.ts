import {
  BackupFixture,
  removeHomeTemplate,
  removeHomeData,
  createHomeTemplate,
} from '../../cli/tests/backup_fixture.js'
import { STORAGE_POOL_NAME } from '../../cli/host/incus.js'
import { openHome } from '../../cli/berth_home.js'
import { installRoot } from '../../cli/paths.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { runProgram } from '../../cli/run_program.js'
import { createS3TestVault } from '#packages/vault-service/s3/tests/client'
import { sharedVaultService } from '#packages/vault-service/tests/test_service'
import { type CodeBlock, listCommands, readAllCodeBlocks } from '#tests/support/documented_commands'
import { startSecondIncus } from '#tests/support/second_incus'
import db from '@adonisjs/lucid/services/db'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const socket = process.env.INCUS_SOCKET

/** Documented commands that another test runs unchanged (`documentedCommand`), with that test's file. */
const elsewhere: Record<string, string> = {
  'berth install': 'tests/system/service.spec.ts',
  'berth status': 'tests/system/service.spec.ts',
  'berth status --json': 'tests/system/service.spec.ts',
  "journalctl -u 'berth-*'": 'tests/system/service.spec.ts',
  'systemctl restart berth-worker.service': 'tests/system/service.spec.ts',
  'systemctl stop berth.target': 'tests/system/service.spec.ts',
  "systemctl stop 'berth-*' berth.target": 'tests/system/service.spec.ts',
  'systemd-analyze security berth-web.service': 'tests/system/service.spec.ts',
  'berth database move --to system': 'tests/system/service.spec.ts',
  'rm -r /var/lib/berth/postgres-old': 'tests/system/service.spec.ts',
  'berth restore /mnt/backup --replace': 'tests/system/service.spec.ts',
  'cp /var/lib/berth/berth.conf /etc/berth/berth.conf': 'tests/system/service.spec.ts',
  'berth uninstall': 'tests/system/service.spec.ts',
  'apt remove berth': 'tests/system/service.spec.ts',
  'apt purge berth': 'tests/system/service.spec.ts',
}

/** Documented commands that no test runs unchanged, each with the reason. A new entry needs a reason too. */
const notRun: Record<string, string> = {
  './berth test': 'runs this test',
  './berth up': 'stays in the foreground; tests/system/privileges_systemd.spec.ts starts it',
  './berth package': 'takes minutes; tests/system/service.spec.ts installs what it makes',
  './berth install': 'needs systemd; tests/system/service.spec.ts does it by the package',
  './berth status': 'needs the service; tests/system/service.spec.ts asks it there',
  'apt install ./berth_NEW_amd64.deb':
    'needs systemd; tests/system/service.spec.ts installs a newer one by dpkg',
  './berth upgrade': 'takes minutes; tests/consoles/upgrade.spec.ts does it with a built source',
  './berth upgrade SOURCE': 'tests/consoles/upgrade.spec.ts does it with sources of its own',
  'apt update': 'needs systemd; tests/system/service.spec.ts installs by apt-get',
  'apt install ./berth_*.deb': 'needs systemd; tests/system/service.spec.ts installs by apt-get',
  "PGPASSWORD=… berth database move --to 'postgres://postgres@db.example.com:5432?sslmode=require'":
    'needs another server; cli/tests/move_database.spec.ts moves to one',
  './berth restore /mnt/backup --instances':
    'needs a backup of instances; tests/system/backup_instances.spec.ts brings one back',
  'grep /var/lib/lxcfs /proc/self/mountinfo':
    'tests/system/lxcfs.spec.ts reads the same of its own',
  'incus config get INSTANCE security.syscalls.deny':
    'needs an instance; tests/system/hostile_instance.spec.ts reads it',
  'nft list ruleset': 'needs root; tests/system/tenants_apart.spec.ts lists the table',
  'incus warning list': 'tests/system/incus_daemon.spec.ts reads the warnings of an Incus',
  'cat /sys/fs/cgroup/cgroup.controllers':
    'cgroups of version 1 have no such file; cli/host/tests/cgroup_controllers.spec.ts reads one',
  'journalctl -u incus -n 100': 'needs the Incus of systemd',
  'systemctl restart incus': 'needs the Incus of systemd',
}
/** Files whose code blocks another test runs unchanged. */
const byFile: Record<string, string> = { 'docs/guides/mail.md': 'tests/browser/mail.spec.ts' }

/** Replaces whole words of a text. */
function filled(text: string, words: Record<string, string>): string {
  return Object.entries(words).reduce(
    (all, [word, by]) =>
      all.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(word)}(?!\\w)`, 'g'), () => by),
    text
  )
}

/** People follow the documentation in emergencies, so every command in it must work. */
test.group('Commands of the documentation', (group) => {
  const ran = new Set<string>()
  let blocks: CodeBlock[]
  let folder: string

  group.each.timeout(300_000)
  group.setup(async () => {
    blocks = await readAllCodeBlocks()
    folder = await mkdtemp(join(tmpdir(), 'berth-documented-'))
    // The databases run as another user. That user must be able to traverse this folder.
    await chmod(folder, 0o711)
    return () => rm(folder, { recursive: true, force: true })
  })

  /**
   * Runs the commands of the code blocks one after another in one shell, except those in the lists above.
   * @param words values for placeholders of the documentation, for example `<key>`
   */
  async function runAll(
    chosen: CodeBlock[],
    { words = {}, env = {} }: { words?: Record<string, string>; env?: NodeJS.ProcessEnv }
  ): Promise<string> {
    const commands = chosen
      .filter(({ language }) => language === 'sh')
      .flatMap(listCommands)
      .filter((command) => !(command in elsewhere) && !(command in notRun))
    for (const command of commands) ran.add(command)
    const script = commands.map((command) => filled(command, words))
    const told = { PATH: `${process.env.PATH}:/usr/sbin:/usr/bin:/bin`, LANG: 'C.UTF-8', ...env }
    const argv = ['sh', '-euc', script.join('\n')]
    const { code, output } = await runProgram(argv, { cwd: folder, env: { HOME: folder, ...told } })
    if (code !== 0) throw new Error(`${script.join('\n')}\nended with ${code}: ${output}`)
    return output
  }

  const of = (...files: string[]) => blocks.filter(({ file }) => files.includes(file))

  test('commands of S3 tools work with a vault, with the configuration files of the guide', async ({
    assert,
  }) => {
    const service = await sharedVaultService()
    const vault = await createS3TestVault(service)
    const words = {
      // The vault service of this test has no TLS.
      'use_https = True': 'use_https = False',
      'https://vault.example.com': service.url,
      'vault.example.com': new URL(service.url).host,
      'AWS_ACCESS_KEY_ID=…': `AWS_ACCESS_KEY_ID=${vault.accessKeyId}`,
      'AWS_SECRET_ACCESS_KEY=…': `AWS_SECRET_ACCESS_KEY=${vault.secretKey}`,
      ACCESS_KEY: vault.accessKeyId,
      SECRET: vault.secretKey,
      '<key>': vault.key,
      KEY: vault.key,
    }
    const guides = of('docs/guides/vault.md', 'docs/guides/vault_s3.md')
    for (const { language, text } of guides) {
      const [, path] = /^# ~\/(\S+)$/m.exec(text) ?? []
      if (language !== 'ini' || !path) continue
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, filled(text, words))
    }
    await mkdir(join(folder, 'site'))
    await writeFile(join(folder, 'site/index.html'), 'Boats')
    await writeFile(join(folder, 'backup.tar'), 'Boats')
    await writeFile(join(folder, '.restic'), 'a password')
    const missing = ['aws', 'rclone', 'restic', 's3cmd'].filter(
      (name) => !existsSync(`/usr/bin/${name}`)
    )
    if (missing.length) process.stdout.write(`  no package of ${missing.join(', ')} here\n`)
    const links: string[] = []
    for (const block of guides) {
      const lacks = missing.some((name) => block.text.includes(`${name} `))
      if (lacks) for (const command of listCommands(block)) ran.add(command)
      else links.push(...((await runAll([block], { words })).match(/^http\S+\?\S+$/gm) ?? []))
    }
    await writeFile(join(folder, 'large.iso'), 'Boats')
    const hasBoto3 = (await runProgram(['python3', '-c', 'import boto3'])).code === 0
    for (const { text } of hasBoto3 ? guides.filter((one) => one.language === 'python') : []) {
      const { accessKeyId, secretKey } = vault
      const keys = `ACCESS_KEY, SECRET = "${accessKeyId}", "${secretKey}"\n`
      const onlyAddress = { 'https://vault.example.com': service.url, KEY: vault.key }
      const argv = ['python3', '-c', keys + filled(text, onlyAddress)]
      const { code, output } = await runProgram(argv, { cwd: folder })
      assert.equal(code, 0, output)
      links.push(output.trim())
    }
    assert.lengthOf(links, Number(!missing.includes('aws')) + Number(hasBoto3))
    for (const link of links) assert.equal(await (await fetch(link)).text(), 'Boats')
    const seen = await vault.client.send(new ListObjectsV2Command({ Bucket: vault.key }))
    const names = seen.Contents?.map(({ Key }) => Key) ?? []
    if (!missing.includes('aws'))
      assert.includeMembers(names, ['site/index.html', 'backups/backup.tar'])
  })

  test('commands for backups, restores and lost keys recover a home', async ({
    assert,
    cleanup,
  }) => {
    const pattern = await createHomeTemplate()
    cleanup(() => removeHomeTemplate(pattern))
    const ground = await BackupFixture.make(pattern)
    cleanup(() => ground.end())
    await ground.job({ job: 'look', target: ground.target })
    await ground.upload('kept')
    await ground.backup(true)
    const { backupKey } = ground.home.secrets
    const words = {
      './berth': join(installRoot, 'berth'),
      '/mnt/backup': ground.target.place,
      BACKUP_KEY: backupKey,
    }
    // Simulates a machine that has lost only its secrets.
    const lost = of('docs/runbooks/lost_key.md')
    const here = join(folder, '.berth')
    await mkdir(here)
    await writeFile(join(here, 'secrets.json'), '')
    const reached = { BERTH_HOME: ground.home.path, DATABASE_URL: '' }
    const said = await runAll(lost, { words, env: reached })
    assert.include(said, backupKey)
    const secrets = await readFile(join(here, 'secrets.json'), 'utf8')
    assert.deepEqual(JSON.parse(secrets), ground.home.secrets)

    // Restores the backup into an empty home, then replaces that home's data.
    const bare = join(folder, 'bare')
    const env = { BERTH_HOME: bare, BACKUP_KEY: backupKey, DATABASE_URL: '' }
    const listed = await runAll(of('docs/runbooks/restore.md'), { words, env })
    assert.match(listed, /everything except instances/)
    const again = await openHome(bare)
    assert.equal(again.secrets.appKey, ground.home.secrets.appKey)
    const database = await openDatabase(again, { fast: true, env: {} })
    cleanup(async () => {
      await database.stop()
      await removeHomeData(again)
    })
    const other = { ...env, BERTH_HOME: join(folder, 'other') }
    await runAll(of('docs/guides/backup.md'), { words, env: other })
    await removeHomeData(await openHome(other.BERTH_HOME))
  })

  test('commands of runbooks and guides work on a machine', async ({ assert, cleanup }) => {
    const incus = await startSecondIncus({ poolSize: 1024 ** 3 })
    cleanup(() => incus.stop())
    const home = await openHome(join(folder, 'machine'))
    await writeFile(join(home.logs, 'worker.log'), '{"schedule":"edge.serve-domains"}\n')
    const address = (await incus.incus.server.info()).config['core.https_address']
    const words = {
      './berth': join(installRoot, 'berth'),
      ADDRESS: address.split(':')[0],
      '8443': address.split(':')[1],
      POOL: STORAGE_POOL_NAME,
      '100GiB': '2GiB',
      MOUNT: join(dirname(incus.socket), 'storage-pools', STORAGE_POOL_NAME),
      BERTH_HOME: home.path,
      NAME: 'edge.serve-domains',
    }
    const env = { INCUS_DIR: dirname(incus.socket), BERTH_HOME: home.path, DATABASE_URL: '' }
    const files = ['lost_host', 'full_pool', 'full_disk', 'blocked_mail', 'failing_schedule']
    const all = files.map((name) => `docs/runbooks/${name}.md`)
    const said = await runAll(of(...all, 'docs/guides/provider.md'), { words, env })
    assert.include(said, '"api_version"')
    assert.include(said, 'No unsent emails')
    const pool = await incus.incus.storagePools.get(STORAGE_POOL_NAME)
    assert.equal(pool.config.size, '2GiB')
    for (const { text } of blocks.filter(({ language }) => language === 'sql')) {
      await db.rawQuery(text)
    }
  }).skip(!socket, 'needs an Incus: set INCUS_SOCKET')

  test('each documented command runs in this file or in the named test, or has a reason for not running', async ({
    assert,
  }) => {
    const shell = blocks.filter(({ language }) => ['sh', 'bash', 'shell', ''].includes(language))
    const drawn = shell.filter(({ text }) => /[─│]/.test(text))
    const all = shell
      .filter((block) => !drawn.includes(block) && !(block.file in byFile))
      .flatMap((block) => listCommands(block).map((command) => [block.file, command] as const))
    if (!socket) return
    const unknown = all.filter(
      ([, command]) => !ran.has(command) && !(command in elsewhere) && !(command in notRun)
    )
    assert.deepEqual(unknown, [], 'Run it above, or say why not')
    const said = new Set(all.map(([, command]) => command))
    const idle = [...Object.keys(elsewhere), ...Object.keys(notRun)].filter((one) => !said.has(one))
    assert.deepEqual(idle, [], 'Nothing says this any more')
    for (const [words, file] of Object.entries({ ...elsewhere, ...byFile })) {
      assert.include(await readFile(join(installRoot, file), 'utf8'), words)
    }
    const reasons = Object.entries(notRun).map(([command, reason]) => `    ${command}: ${reason}`)
    process.stdout.write(
      `  ${said.size} commands, ${reasons.length} not run here:\n${reasons.join('\n')}\n`
    )
  })
})
