import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureSystemUser } from '../system_users.js'
import { BACKUP_SYSTEM_USER } from '../postgres/cluster_folder.js'
import { recoverPostgresCluster } from '../postgres/recover_cluster.js'
import { fallbackPostgresDataPath } from '../postgres/programs.js'
import { runOrThrow } from '../run_program.js'
import type { BerthHome, Secrets } from '../berth_home.js'
import type { BackupJobResult } from '../../packages/backup/contract.js'
import {
  findLatestBackupPoint,
  createBackupPoint,
  type BackupProgressReporter,
  type BackupJobContext,
} from './create_backup_point.js'
import {
  verifyVaultFiles,
  listTableDifferences,
  verifySecrets,
  checksumTables,
  listTables,
  type TableChecksum,
} from './verify_restore.js'
import { DatabaseBackupSource, connectWithSafeSearchPath } from './database_backup_source.js'
import { chooseBackupPoint, filterBackupPoints, restoreFromPoint } from './restore_from_point.js'
import { BackupError } from './restic.js'

/** Maximum wait for locks on tables that are being written. Below PostgreSQL's deadlock timeout of 1,000 ms. */
const MAX_WRITER_WAIT_MS = 800
const MAX_ATTEMPTS = 40

/**
 * Creates a recovery point, restores it into a separate folder, and compares it with the live data. Compares checksums
 * of all tables, taken at a moment without writes. Reads the vaults' files, and decrypts secrets (`verify_restore.ts`).
 * @throws BackupError (`differs`) with the differences
 */
export async function runRestoreTest(work: BackupJobContext): Promise<BackupJobResult> {
  const { home, folder, restic, signal } = work
  // If the job is aborted, `signal` kills restic. All other steps throw here, the next time that they report progress.
  const onProgress: BackupProgressReporter = (note, share) => {
    signal.throwIfAborted()
    work.onProgress(note, share)
  }
  const known = await restic.open({ make: false })
  const database = await DatabaseBackupSource.open(home)
  const account = process.getuid?.() === 0 ? await ensureSystemUser(BACKUP_SYSTEM_USER) : undefined
  const testFolder = account ? testFolderOutsideHome(home) : folder.drill
  await rm(testFolder, { recursive: true, force: true })
  let there: Awaited<ReturnType<typeof recoverPostgresCluster>> | undefined
  let seen: pg.Client | undefined
  try {
    if (!database.isArchiving || !(await folder.readBases()).length) {
      throw new BackupError('none', 'There is no scheduled backup yet that could be tested')
    }
    const before = findLatestBackupPoint(known)
    onProgress('Waiting for a moment without database changes')
    const still = await stillMoment(database)
    seen = still.client
    const newPoint = await createBackupPoint(work, database, before, Promise.resolve(still.marked))
    onProgress('Reading all tables')
    const ours = await checksumTables(seen, (at, of) => onProgress('Reading all tables', at / of))
    await seen.end()

    const to = join(testFolder, 'home')
    const { native } = database.cluster
    const cluster = { clusterFolder: join(testFolder, 'postgres'), native, account }
    if (account) await mkdir(fallbackPostgresDataPath, { recursive: true, mode: 0o711 })
    for (const path of [to, cluster.clusterFolder])
      await mkdir(path, { recursive: true, mode: 0o700 })
    const points = filterBackupPoints(await restic.snapshots())
    const point = chooseBackupPoint(points.filter(({ id }) => id.startsWith(newPoint.sent.id)))
    const { wal, target } = await restoreFromPoint(restic, { point, to, cluster }, onProgress)
    if (account)
      await runOrThrow(['chown', '-R', `${account.uid}:${account.gid}`, '--', testFolder])
    onProgress('Replaying the write-ahead log up to that moment')
    const secrets = JSON.parse(await readFile(join(to, 'secrets.json'), 'utf8')) as Secrets
    const { databaseSuperuser: password } = secrets
    const log = join(testFolder, 'postgres.log')
    there = await recoverPostgresCluster(cluster, { wal, target, password, log })
    const outcome = await compare(
      there.url,
      { ours, secrets, vault: join(to, 'vault') },
      onProgress
    )
    onProgress('Checking the target')
    await restic.check()
    return { at: point.tags.at, ...outcome }
  } finally {
    await there?.stop()
    await seen?.end().catch(() => {})
    await database.close()
    await rm(testFolder, { recursive: true, force: true })
  }
}

/** PostgreSQL does not run as root, and its system user may have no access to the home. */
function testFolderOutsideHome({ path }: BerthHome): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join(fallbackPostgresDataPath, `drill-${name}`)
}

async function compare(
  url: string,
  { ours, secrets, vault }: { ours: Map<string, TableChecksum>; secrets: Secrets; vault: string },
  onProgress: BackupProgressReporter
): Promise<BackupJobResult> {
  const client = await connectWithSafeSearchPath(url)
  try {
    onProgress('Comparing all tables')
    const theirs = await checksumTables(client, (at, of) =>
      onProgress('Comparing all tables', at / of)
    )
    onProgress('Comparing the objects of all vaults')
    const bodies = await verifyVaultFiles(client, vault, (objects) =>
      onProgress(`Comparing the objects of all vaults: ${objects}`)
    )
    const opened = await verifySecrets(client, secrets)
    const wrong = [...listTableDifferences(ours, theirs), ...bodies.wrong, ...opened.wrong]
    if (wrong.length) {
      const more = wrong.length > 5 ? ` and ${wrong.length - 5} more` : ''
      throw new BackupError(
        'differs',
        `These differ after the restore: ${wrong.slice(0, 5).join('; ')}${more}`
      )
    }
    return {
      tables: theirs.size,
      rows: [...theirs.values()].reduce((sum, { rows }) => sum + rows, 0),
      objects: bodies.objects,
      secrets: opened.opened,
      notes: bodies.externalObjects
        ? [`${bodies.externalObjects} objects are in another store and were not compared`]
        : [],
    }
  } finally {
    await client.end()
  }
}

/**
 * Blocks all writes to the database for a moment. Returns a restore point, and a snapshot of the database at that
 * point. Retries if it cannot lock the tables in time.
 */
async function stillMoment(database: DatabaseBackupSource) {
  const { url } = database.cluster
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const tables = await listTables(database.client)
    const client = await connectWithSafeSearchPath(url!)
    try {
      await database.rows('begin')
      await database.rows(`set local statement_timeout = ${MAX_WRITER_WAIT_MS}`)
      await database.rows(`lock table ${tables.join(', ')} in share mode`)
      await client.query('begin isolation level repeatable read read only')
      // The first statement of the transaction determines its snapshot.
      await client.query('select 1 from settings limit 1')
      const marked = await database.mark(`berth-${randomUUID()}`)
      await database.rows('commit')
      return { client, marked }
    } catch (error) {
      await database.rows('rollback')
      await client.end()
      const isLate = ['57014', '40P01', '55P03'].includes((error as pg.DatabaseError).code ?? '')
      if (!isLate) throw error
      await sleep(100 + Math.random() * 400)
    }
  }
  throw new BackupError(
    'busy',
    'The database changed constantly, so the tables could not be compared. Try again later'
  )
}
