import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sharedVaultService, type TestService } from '../../tests/test_service.js'
import { createS3TestVault, sha256, type TestVault } from './client.js'

const execute = promisify(execFile)
const BOTO3_PATH = '/usr/lib/python3/dist-packages/boto3/__init__.py'
const BYTES_PER_MIB = 1_024 ** 2

/**
 * Returns the reason why a client program cannot be tested on this machine. The programs come from the distribution's
 * packages (`cli/ensure_test_tools.ts`).
 */
const missing = (path: string) =>
  existsSync(path) ? undefined : `${path} is not there, and the system has no package of it`

async function makeTree(root: string): Promise<void> {
  const files: Record<string, Buffer> = {
    'plain.txt': Buffer.from('hello'),
    empty: Buffer.alloc(0),
    'a b/c+d=e&f.bin': randomBytes(70_000),
    'ü/ক 😀.txt': Buffer.from('unicode'),
    "odd/[x]@%41'(1).txt": Buffer.from('odd'),
    'large.bin': randomBytes(30 * BYTES_PER_MIB),
  }
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), bytes)
  }
}

/** Returns the SHA-256 of each file in a folder, by path. */
async function treeOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const pairs = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    return [path.slice(root.length + 1), sha256(await readFile(path))] as const
  })
  return Object.fromEntries((await Promise.all(pairs)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test.group('S3 with other programs', (group) => {
  let service: TestService
  let vault: TestVault
  let folder: string
  group.each.setup(async () => {
    service = await sharedVaultService()
    vault = await createS3TestVault(service)
    folder = await mkdtemp(join(tmpdir(), 'berth-s3-'))
    await makeTree(join(folder, 'tree'))
    return () => rm(folder, { recursive: true, force: true })
  })

  /** Runs a program without the settings in the current user's home directory. */
  const run = async (argv: string[], env: Record<string, string> = {}) => {
    const { stdout } = await execute(argv[0], argv.slice(1), {
      cwd: folder,
      env: { HOME: folder, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
      maxBuffer: 16 * BYTES_PER_MIB,
    }).catch((error: Error & { stderr?: string; stdout?: string }) => {
      throw new Error(`${argv.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`)
    })
    return stdout
  }

  test('aws-cli can use a vault', async ({ assert }) => {
    const aws = (...argv: string[]) =>
      run(['/usr/bin/aws', '--endpoint-url', service.url, ...argv], {
        AWS_ACCESS_KEY_ID: vault.accessKeyId,
        AWS_SECRET_ACCESS_KEY: vault.secretKey,
        AWS_DEFAULT_REGION: 'us-east-1',
      })
    const bucket = `s3://${vault.key}`
    assert.include(await aws('s3', 'ls'), vault.key)
    await aws('s3', 'cp', 'tree/large.bin', `${bucket}/one/large.bin`)
    const head = JSON.parse(
      await aws('s3api', 'head-object', '--bucket', vault.key, '--key', 'one/large.bin')
    ) as { ETag: string; ContentLength: number }
    assert.equal(head.ContentLength, 30 * BYTES_PER_MIB)
    assert.match(head.ETag, /-\d+"$/)
    await aws('s3', 'sync', 'tree', `${bucket}/tree`)
    assert.equal(await aws('s3', 'sync', 'tree', `${bucket}/tree`), '')
    assert.include(await aws('s3', 'ls', '--recursive', `${bucket}/tree/`), 'tree/ü/ক 😀.txt')
    await aws('s3', 'sync', `${bucket}/tree`, 'back')
    assert.deepEqual(await treeOf(join(folder, 'back')), await treeOf(join(folder, 'tree')))
    await aws('s3', 'mv', `${bucket}/one/large.bin`, `${bucket}/two/large.bin`)
    const link = (await aws('s3', 'presign', `${bucket}/tree/plain.txt`)).trim()
    assert.equal(await (await fetch(link)).text(), 'hello')
    await rm(join(folder, 'tree/plain.txt'))
    await aws('s3', 'sync', '--delete', 'tree', `${bucket}/tree`)
    assert.notInclude(await aws('s3', 'ls', `${bucket}/tree/`), 'plain.txt')
    await aws('s3', 'rm', '--recursive', bucket)
    assert.equal(await aws('s3', 'ls', '--recursive', bucket).catch(() => ''), '')
  })
    .skip(Boolean(missing('/usr/bin/aws')), missing('/usr/bin/aws'))
    .timeout(300_000)

  test('rclone can use a vault', async ({ assert }) => {
    await writeFile(
      join(folder, 'rclone.conf'),
      [
        '[vault]',
        'type = s3',
        'provider = Other',
        `access_key_id = ${vault.accessKeyId}`,
        `secret_access_key = ${vault.secretKey}`,
        `endpoint = ${service.url}`,
      ].join('\n')
    )
    const rclone = (...argv: string[]) =>
      run(['/usr/bin/rclone', '--config', join(folder, 'rclone.conf'), ...argv])
    const at = `vault:${vault.key}/tree`
    assert.include(await rclone('lsd', 'vault:'), vault.key)
    await rclone('sync', '--s3-upload-cutoff', '8M', '--s3-chunk-size', '5M', 'tree', at)
    await rclone('check', '--download', 'tree', at)
    await rclone('check', 'tree', at)
    assert.include(await rclone('lsf', '-R', at), 'ü/ক 😀.txt')
    await rclone('copyto', `${at}/large.bin`, `vault:${vault.key}/copy/large.bin`)
    await rclone('moveto', `${at}/plain.txt`, `${at}/moved.txt`)
    await rclone('sync', at, 'back')
    await rclone('moveto', join(folder, 'tree/plain.txt'), join(folder, 'tree/moved.txt'))
    assert.deepEqual(await treeOf(join(folder, 'back')), await treeOf(join(folder, 'tree')))
    assert.equal(
      (await rclone('cat', '--offset', '1', '--count', '3', `${at}/moved.txt`)).toString(),
      'ell'
    )
    await rclone('delete', `vault:${vault.key}`)
    assert.equal(await rclone('lsf', '-R', `vault:${vault.key}`), '')
  })
    .skip(Boolean(missing('/usr/bin/rclone')), missing('/usr/bin/rclone'))
    .timeout(300_000)

  test('restic can use a vault', async ({ assert }) => {
    const restic = (...argv: string[]) =>
      run(['/usr/bin/restic', ...argv], {
        AWS_ACCESS_KEY_ID: vault.accessKeyId,
        AWS_SECRET_ACCESS_KEY: vault.secretKey,
        RESTIC_REPOSITORY: `s3:${service.url}/${vault.key}/backups`,
        RESTIC_PASSWORD: 'a password',
      })
    await restic('init')
    await restic('backup', 'tree')
    const before = await treeOf(join(folder, 'tree'))
    await writeFile(join(folder, 'tree/plain.txt'), 'changed')
    await restic('backup', 'tree')
    await restic('check', '--read-data')
    const snapshots = JSON.parse(await restic('snapshots', '--json')) as { id: string }[]
    assert.lengthOf(snapshots, 2)
    await restic('restore', snapshots[0].id, '--target', 'first')
    assert.deepEqual(await treeOf(join(folder, 'first/tree')), before)
    await restic('restore', 'latest', '--target', 'last')
    assert.deepEqual(await treeOf(join(folder, 'last/tree')), await treeOf(join(folder, 'tree')))
    await restic('forget', '--prune', '--keep-last', '1')
    await restic('check')
  })
    .skip(Boolean(missing('/usr/bin/restic')), missing('/usr/bin/restic'))
    .timeout(300_000)

  test('s3cmd can use a vault', async ({ assert }) => {
    const { host } = new URL(service.url)
    await writeFile(
      join(folder, 's3cfg'),
      [
        '[default]',
        `access_key = ${vault.accessKeyId}`,
        `secret_key = ${vault.secretKey}`,
        `host_base = ${host}`,
        `host_bucket = ${host}`,
        'use_https = False',
      ].join('\n')
    )
    const s3cmd = (...argv: string[]) =>
      run(['/usr/bin/s3cmd', '-c', join(folder, 's3cfg'), '--no-progress', ...argv])
    const bucket = `s3://${vault.key}`
    assert.include(await s3cmd('ls'), vault.key)
    await s3cmd('put', '--multipart-chunk-size-mb=5', 'tree/large.bin', `${bucket}/large.bin`)
    await s3cmd('get', `${bucket}/large.bin`, 'large.back')
    const large = sha256(await readFile(join(folder, 'tree/large.bin')))
    assert.equal(sha256(await readFile(join(folder, 'large.back'))), large)
    await s3cmd('sync', 'tree/', `${bucket}/tree/`)
    await mkdir(join(folder, 'back'))
    await s3cmd('sync', `${bucket}/tree/`, 'back/')
    assert.deepEqual(await treeOf(join(folder, 'back')), await treeOf(join(folder, 'tree')))
    await s3cmd('cp', `${bucket}/tree/plain.txt`, `${bucket}/copied.txt`)
    assert.include(await s3cmd('ls', `${bucket}/`), 'copied.txt')
    await s3cmd('info', `${bucket}/copied.txt`)
    await s3cmd('del', '--recursive', '--force', bucket)
    assert.equal(await s3cmd('ls', '--recursive', bucket), '')
  })
    .skip(Boolean(missing('/usr/bin/s3cmd')), missing('/usr/bin/s3cmd'))
    .timeout(300_000)

  test('boto3 can use a vault', async ({ assert }) => {
    const program = join(import.meta.dirname, 'boto3_session.py')
    const printed = await run(
      ['/usr/bin/python3', program, service.url, vault.key, join(folder, 'tree')],
      { AWS_ACCESS_KEY_ID: vault.accessKeyId, AWS_SECRET_ACCESS_KEY: vault.secretKey }
    )
    assert.equal(printed.trim(), '9')
  })
    .skip(Boolean(missing(BOTO3_PATH)), missing(BOTO3_PATH))
    .timeout(300_000)

  test('duplicity can use a vault', async ({ assert }) => {
    const address = `boto3+s3://${vault.key}/backups`
    const duplicity = (...argv: string[]) =>
      run(
        [
          ['/usr/bin/duplicity', argv, '--no-encryption'].flat(),
          ['--s3-endpoint-url', service.url, '--s3-region-name', 'us-east-1'],
        ].flat(),
        { AWS_ACCESS_KEY_ID: vault.accessKeyId, AWS_SECRET_ACCESS_KEY: vault.secretKey }
      )
    await duplicity('full', '--volsize', '8', 'tree', address)
    const before = await treeOf(join(folder, 'tree'))
    await writeFile(join(folder, 'tree/plain.txt'), 'changed')
    await rm(join(folder, 'tree/empty'))
    await duplicity('incremental', 'tree', address)
    assert.match(await duplicity('collection-status', address), /Incremental/)
    await duplicity('restore', address, 'last')
    assert.deepEqual(await treeOf(join(folder, 'last')), await treeOf(join(folder, 'tree')))
    assert.notDeepEqual(await treeOf(join(folder, 'last')), before)
    await duplicity('remove-all-but-n-full', '1', '--force', address)
  })
    .skip(Boolean(missing('/usr/bin/duplicity')), missing('/usr/bin/duplicity'))
    .timeout(300_000)
})
