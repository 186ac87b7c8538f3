import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { bodiesFolder, folderMarkerFile, folderMarkHistoryFile } from './folders.js'
import type { Database } from './store/database.js'
import { bodyPath, FolderBodyStorage } from './store/folder_body_storage.js'
import { FolderSync } from './store/folder_sync.js'

/**
 * If an operator writes this text to the mark file in a folder, the service accepts this folder even if it rejected it
 * before.
 */
const ADOPT_CONTENT = 'adopt'
const MARK_HISTORY_LIMIT = 1_000
/**
 * If the tables contain no mark, the service checks the files of this many first and this many last objects, by vault
 * and name. At least half of the files must exist.
 */
const SAMPLE_OBJECTS = 100

type Finding = { history: string[] } | { problem: string }

/**
 * Returns the reason why the service must not use `folder` with these database tables. Returns undefined if it may.
 * Changes nothing.
 */
export async function folderProblem(
  database: Database,
  folder: string
): Promise<string | undefined> {
  const inspection = await inspect(database, folder)
  return 'problem' in inspection ? inspection.problem : undefined
}

/**
 * Writes a new mark to the folder and to the tables. From then on, older copies of the folder are rejected. The caller
 * must hold the database lock. If the service must not use the folder, returns the reason instead.
 */
export async function claimFolder(database: Database, folder: string): Promise<string | undefined> {
  const inspection = await inspect(database, folder)
  if ('problem' in inspection) return inspection.problem
  const mark = randomUUID()
  const known = [...new Set([mark, ...inspection.history])].slice(0, MARK_HISTORY_LIMIT)
  try {
    // Writes the history first, then the mark, and then the tables. So the folder matches the tables after each step.
    // It also matches them in a backup, which reads the tables before the files.
    await writeDurably(folderMarkHistoryFile(folder), known.join('\n'))
    await writeDurably(folderMarkerFile(folder), mark)
  } catch (error) {
    // Ignores a full or read-only disk, because its objects can still be read. The next start writes the mark.
    if (['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  await database.rows(
    `insert into vault.folder_mark (mark) values ($1)
     on conflict (one) do update set mark = excluded.mark, marked_at = now()`,
    [mark]
  )
  return undefined
}

async function inspect(database: Database, folder: string): Promise<Finding> {
  const known = await database.row<{ mark: string | null; has_objects: boolean }>(
    `select (select mark from vault.folder_mark) as mark,
       exists (select from vault.objects) or exists (select from vault.parts)
         or exists (select from vault.doomed) as has_objects`
  )
  const { mark, has_objects: hasObjects } = known!
  const own = await readIfExists(folderMarkerFile(folder))
  const history = (await readIfExists(folderMarkHistoryFile(folder)))?.split('\n') ?? []
  if (own === ADOPT_CONTENT) return { history }
  const usable = { history: own === null ? history : [own, ...history] }
  if (mark !== null && own === mark) return usable
  // The marks differ if the tables were restored from an earlier backup, or if a previous claim was interrupted.
  if ([own, mark].every((one) => one !== null && history.includes(one))) return usable
  if (!hasObjects) {
    const isUnmarked = mark === null && own === null
    const isFree = isUnmarked || !(await containsBodies(folder))
    return isFree ? usable : unusableFolder(folder, 'It contains files of other vaults.')
  }
  if (mark !== null) {
    return unusableFolder(
      folder,
      own
        ? 'Its mark file belongs to another installation or to an earlier state of these vaults.'
        : 'Its mark file is missing.'
    )
  }
  const { looked, missing } = await lookForNamed(database, folder)
  if (missing * 2 <= looked) return usable
  return unusableFolder(folder, `${missing} of ${looked} checked files are missing.`)
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function unusableFolder(folder: string, why: string): Finding {
  return {
    problem:
      `${folder} is not the folder of these vaults. ${why} If the files are on a disk of their own, mount it. ` +
      'On a second console, do not run the vault service (ROLES without vault). ' +
      `If all files of the vaults were copied here, copy the file ${basename(folderMarkerFile(folder))} of the old folder too, or run as root: ` +
      `echo ${ADOPT_CONTENT} > ${folderMarkerFile(folder)} (the service starts within seconds). Requests for missing files then ` +
      'answer 500, and the old folder is rejected.',
  }
}

async function containsBodies(folder: string): Promise<boolean> {
  try {
    for await (const _ of new FolderBodyStorage(bodiesFolder(folder)).all()) return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return false
}

/**
 * Checks whether the first file of each sample object exists and has the right size. Skips objects whose bytes are in
 * the database or in a bucket.
 */
async function lookForNamed(
  database: Database,
  folder: string
): Promise<{ looked: number; missing: number }> {
  const objects = await database.rows<{ body: number; size: number }>(
    ['asc', 'desc']
      .map(
        (order) =>
          `(select bodies[1] as body, sizes[1] as size from vault.objects where store = 'folder'
            order by vault_id ${order}, name ${order} limit ${SAMPLE_OBJECTS})`
      )
      .join(' union ')
  )
  const checks = await Promise.all(
    objects.map(({ body, size }) =>
      stat(bodyPath(bodiesFolder(folder), body)).then(
        (file) => file.size === size,
        () => false
      )
    )
  )
  return { looked: checks.length, missing: checks.filter((isThere) => !isThere).length }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await new FolderSync(dirname(path)).sync()
}
