import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ensureAccount } from '../accounts.js'
import { backupUser, recover, systemPlace } from '../postgres.js'
import { must } from '../run.js'
import type { Home, Secrets } from '../home.js'
import type { Outcome } from '../../packages/backup/contract.js'
import {
  findLatestPoint,
  createBackupPoint,
  type ReportProgress,
  type BackupJobContext,
} from './point.js'
import { compareBodies, differences, openSecrets, sumsOf, tablesOf, type Sum } from './compare.js'
import { BackedUpDatabase, connected } from './database.js'
import { choosePoint, listPoints, restorePoint } from './points.js'
import { BackupError } from './restic.js'

/** Milliseconds for which writers may wait at most; PostgreSQL looks for circles after 1,000. */
const MAX_WRITER_WAIT_MS = 800
const MAX_ATTEMPTS = 40

/**
 * Restores beside this installation and compares: a moment at which nothing is written is marked in the log, every
 * table as it was then is summed up here and there, every file of a vault is read, every secret opened.
 * @throws BackupError (`differs`) with what is not the same
 */
export async function runRestoreTest(work: BackupJobContext): Promise<Outcome> {
  const { home, folder, restic, signal } = work
  // What runs no restic just now ends here where it is to end.
  const tell: ReportProgress = (note, share) => {
    signal.throwIfAborted()
    work.tell(note, share)
  }
  const known = await restic.open({ make: false })
  const database = await BackedUpDatabase.open(home)
  const account = process.getuid?.() === 0 ? await ensureAccount(backupUser) : undefined
  const place = account ? placeBeside(home) : folder.drill
  await rm(place, { recursive: true, force: true })
  let there: Awaited<ReturnType<typeof recover>> | undefined
  let seen: pg.Client | undefined
  try {
    if (!database.isArchiving || !(await folder.readBases()).length) {
      throw new BackupError('none', 'There is no scheduled backup yet that could be tested')
    }
    const before = findLatestPoint(known)
    tell('Waiting for a moment without database changes')
    const still = await stillMoment(database)
    seen = still.client
    const made = await createBackupPoint(work, database, before, Promise.resolve(still.marked))
    tell('Reading all tables')
    const ours = await sumsOf(seen, (at, of) => tell('Reading all tables', at / of))
    await seen.end()

    const to = join(place, 'home')
    const { native } = database.cluster
    const cluster = { place: join(place, 'postgres'), native, account }
    if (account) await mkdir(systemPlace, { recursive: true, mode: 0o711 })
    for (const path of [to, cluster.place]) await mkdir(path, { recursive: true, mode: 0o700 })
    const points = listPoints(await restic.snapshots())
    const point = choosePoint(points.filter(({ id }) => id.startsWith(made.sent.id)))
    const { wal, target } = await restorePoint(restic, { point, to, cluster }, tell)
    if (account) await must(['chown', '-R', `${account.uid}:${account.gid}`, '--', place])
    tell('Replaying the log of the restored database up to that moment')
    const secrets = JSON.parse(await readFile(join(to, 'secrets.json'), 'utf8')) as Secrets
    const { databaseSuperuser: password } = secrets
    const log = join(place, 'postgres.log')
    there = await recover(cluster, { wal, target, password, log })
    const outcome = await compare(there.url, { ours, secrets, vault: join(to, 'vault') }, tell)
    tell('Checking the target')
    await restic.check()
    return { at: point.tags.at, ...outcome }
  } finally {
    await there?.stop()
    await seen?.end().catch(() => {})
    await database.close()
    await rm(place, { recursive: true, force: true })
  }
}

/** A database does not run as root, and its own user may not get into the home. */
function placeBeside({ path }: Home): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join(systemPlace, `drill-${name}`)
}

async function compare(
  url: string,
  { ours, secrets, vault }: { ours: Map<string, Sum>; secrets: Secrets; vault: string },
  tell: ReportProgress
): Promise<Outcome> {
  const client = await connected(url)
  try {
    tell('Comparing all tables')
    const theirs = await sumsOf(client, (at, of) => tell('Comparing all tables', at / of))
    tell('Comparing the objects of all vaults')
    const bodies = await compareBodies(client, vault, (objects) =>
      tell(`Comparing the objects of all vaults: ${objects}`)
    )
    const opened = await openSecrets(client, secrets)
    const wrong = [...differences(ours, theirs), ...bodies.wrong, ...opened.wrong]
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
      notes: bodies.elsewhere
        ? [`${bodies.elsewhere} objects are in another store and were not compared`]
        : [],
    }
  } finally {
    await client.end()
  }
}

/**
 * A moment of the log and a view of the database as it was at exactly that moment. Writers wait for as long as it
 * takes to mark it; where they do not let us, it is tried again.
 */
async function stillMoment(database: BackedUpDatabase) {
  const { url } = database.cluster
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const tables = await tablesOf(database.client)
    const client = await connected(url!)
    try {
      await database.rows('begin')
      await database.rows(`set local statement_timeout = ${MAX_WRITER_WAIT_MS}`)
      await database.rows(`lock table ${tables.join(', ')} in share mode`)
      await client.query('begin isolation level repeatable read read only')
      // The view is taken by the first statement.
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
    'The database changed all the time, so nothing could be compared. Try again later'
  )
}
