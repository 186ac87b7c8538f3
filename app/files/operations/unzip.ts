import {
  buildUnambiguousZipDirectory,
  inspectZipBeforeUnpacking,
  type ArchiveEncoding,
  type ArchiveSummary,
} from '#files/inspect_zip_before_unpacking'
import { AppError } from '#core/app_error'
import {
  damagedArchive,
  nameExists,
  unpackedFilesMissing,
  UNPACKING_LOCKED_CODE,
  withPartialResult,
} from '#files/errors'
import {
  describeExistingFiles,
  describeUndecided,
  planMerge,
  type ExistingFiles,
  type ExistingFilesPolicy,
  type MergePlan,
} from '#files/existing_files'
import { toFileError } from '#files/machine/web_root'
import { parsePathInWebRoot, TEMPORARY_FILE_PREFIX } from '#guest/public'
import { connectToGuestForOperation } from '#instances/public_effects'
import { openMachineWebRoot } from '#files/queries/selected_web_root'
import {
  defineOperation,
  RetryLater,
  type Step,
  type StepContext,
} from '#core/operations/operations'
import type { WebRoot } from '#files/machine/web_root'
import type { RemoteProcess } from '#packages/machine/main'
import { addAbortListener } from 'node:events'
import type { Readable } from 'node:stream'

const POLL_INTERVAL_MS = 1_000
const LOCK_RETRY_MS = 60_000
/** Additional bytes for partly filled blocks and for folders. */
const DISK_OVERHEAD_BYTES = 256 * 1024 ** 2

interface Input {
  instanceId: number
  /** `archive` and `destination` are paths below the web root, encoded as in requests. */
  archive: string
  destination: string
  /** Default: if a file of the archive already exists, nothing is unpacked. */
  existing?: ExistingFilesPolicy
  /** Encoding of file names that are not UTF-8. Default: code page 437. */
  encoding?: ArchiveEncoding
}

/**
 * Unpacks into a hidden folder in the destination, then moves everything into place. After an
 * interruption, the step starts again from its beginning.
 */
export const unzipFileOperation = defineOperation<Input>({
  kind: 'files.unzip',
  queue: 'transfer',
  cancellable: true,
  version: 2,
  upgrade(operation) {
    const { state, steps } = operation
    const hasMoved = steps.some(({ key, status }) => key === 'place' && status !== 'waiting')
    if (state.existingFiles || (!state.merged && !hasMoved)) return
    // An earlier release stored the merge plan as `merged`. Without it, the release was even older and
    // never unpacked over existing files, so the plan is empty.
    const plan = (state.merged as MergePlan | undefined) ?? planMerge([])
    operation.state = { ...state, existingFiles: describeExistingFiles(plan) }
  },
  steps: [
    {
      key: 'check',
      label: 'Check the archive',
      async run({ instanceId, ...input }, { saveState }) {
        const archive = parsePathInWebRoot(input.archive)
        const root = await rootOf(instanceId)
        const { size } = await root.info(archive)
        const { encoding } = input
        const facts = await inspectZipBeforeUnpacking(size, sliceOf(root, archive), encoding)
        await saveState('facts', facts)
      },
    },
    retryingWhileLocked({
      key: 'unpack',
      label: 'Unpack',
      async run({ instanceId, ...input }, context) {
        const archive = parsePathInWebRoot(input.archive)
        const destination = parsePathInWebRoot(input.destination)
        const archiveInfo = context.state.facts as ArchiveSummary
        const { entries, unpacked, largest, usable, unclear } = archiveInfo
        const root = await rootOf(instanceId)
        const temporary = temporaryOf(context)
        const clear = unclear ? await clearOf(root, archive, input.encoding) : null
        const wishes = { largest, usable, directoryAt: clear?.start }
        const process = await root.unpack(archive, destination, temporary, wishes)
        process.stdin.end(clear?.bytes)
        const limit = unpacked + DISK_OVERHEAD_BYTES + (clear?.start ?? 0)
        const usage = () => root.usage(destination, temporary)
        const free = async () => (await root.inspectPath(archive)).free
        await follow(process, { entries, limit, largest, usage, free }, context)
        if (archiveInfo.links === 0) return
        const names = clear?.links ?? []
        const gone = await root.makeLinks(destination, temporary, names)
        await context.saveState('linksLeftOut', archiveInfo.links - names.length + gone)
      },
    }),
    retryingWhileLocked({
      key: 'place',
      label: 'Move into place',
      async run({ instanceId, destination, existing }, context) {
        const root = await rootOf(instanceId)
        const { links } = context.state.facts as ArchiveSummary
        const folder = parsePathInWebRoot(destination)
        const temporary = temporaryOf(context)
        const entries = await root.compareUnpacked(folder, temporary, links > 0)
        if (!entries) {
          // An interrupted run of this step has already moved all files and deleted the hidden folder.
          if (context.state.existingFiles) return
          throw unpackedFilesMissing()
        }
        const plan = planMerge(entries, existing)
        if (!existing && plan.undecided.length > 0) {
          context.operation.result = { existing: describeUndecided(plan.undecided) }
          throw nameExists(plan.undecided[0])
        }
        // If `existingFiles` is saved, an interrupted run may already have moved some files. A new
        // description would miss those.
        if (!context.state.existingFiles)
          await context.saveState('existingFiles', describeExistingFiles(plan))
        if (plan.skipped.length > 0) await root.leaveOutUnpacked(folder, temporary, plan.skipped)
        await context.commitPoint()
        const move = async () => {
          const replacesAll = existing?.action === 'replace'
          // Keeps files that other programs have created meanwhile, unless the user chose to replace
          // all.
          if (!replacesAll) await root.replaceByUnpacked(folder, temporary, plan.replaced)
          return root.putUnpacked(folder, temporary, plan.folders, replacesAll)
        }
        const page = await move().catch((error: unknown) => {
          throw error instanceof AppError
            ? withPartialResult(error, 'Some files are in place')
            : error
        })
        if (page === '') return
        await context.saveState('starterPage', page)
        await context.reportProgress(`Replaced the starter page ${page}.`)
      },
    }),
  ],
  async result({ destination }, { state }) {
    const { entries, junk, guessed } = state.facts as StoredSummary
    const links = (state.linksLeftOut as number | undefined) ?? 0
    const { starterPage } = state
    const { skipped, replaced } = state.existingFiles as ExistingFiles
    return {
      destination,
      entries: entries - links - skipped.count,
      leftOut: { junk, links },
      ...(guessed && guessed.count > 0 && { guessed }),
      ...(skipped.count > 0 && { skipped }),
      ...(replaced.count > 0 && { replaced }),
      ...(starterPage !== undefined && { starterPage }),
    }
  },
  async failed({ instanceId, destination }, _reason, context) {
    // Deletes the unpacked files. If the instance is unreachable, a schedule deletes them after a day.
    const clean = async () => {
      const root = await rootOf(instanceId)
      await root.dropUnpacked(parsePathInWebRoot(destination), temporaryOf(context))
    }
    await clean().catch((error: unknown) => {
      // Retries later. Otherwise the unpacked files would stay on the customer's disk for a day.
      if (isLocked(error)) throw attemptRunning()
    })
  },
})

/**
 * Retries a step while an earlier attempt still runs, for example after the worker was killed. A
 * cancelled operation does not retry.
 */
function retryingWhileLocked({ key, label, run }: Step<Input>): Step<Input> {
  return {
    key,
    label,
    async run(input, context) {
      try {
        await run(input, context)
      } catch (error) {
        throw isLocked(error) && !context.signal.aborted ? attemptRunning() : error
      }
    },
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof AppError && error.code === UNPACKING_LOCKED_CODE
}

function attemptRunning(): RetryLater {
  return new RetryLater('An earlier attempt is still running.', LOCK_RETRY_MS)
}

async function rootOf(instanceId: number): Promise<WebRoot> {
  return openMachineWebRoot((await connectToGuestForOperation(instanceId)).machine)
}

function temporaryOf({ operation }: StepContext): string {
  return `${TEMPORARY_FILE_PREFIX}unzip-${operation.id}`
}

/** Earlier releases did not save guessed names. */
type StoredSummary = Omit<ArchiveSummary, 'guessed'> & Partial<Pick<ArchiveSummary, 'guessed'>>

interface Bounds {
  entries: number
  limit: number
  largest: number
  usage(): Promise<{ bytes: number; entries: number }>
  free(): Promise<number>
}

/** Waits for unzip to end. Kills it if it has written more than `limit` bytes, or if the step is aborted. */
async function follow(process: RemoteProcess, bounds: Bounds, context: StepContext): Promise<void> {
  const { entries, limit, usage } = bounds
  process.stdout.resume()
  const stderr = readTail(process.stderr)
  let excess = false
  let over = false
  const stop = () => void process.kill('SIGKILL').catch(() => {})
  const watching = addAbortListener(context.signal, stop)
  const ended = process.exit.finally(() => (over = true))
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const so = await usage().catch(() => ({ bytes: 0, entries: 0 }))
    if (so.bytes > limit) {
      excess = true
      stop()
    }
    const done = Math.min(so.entries, entries)
    if (!over)
      await context.reportProgress(`${done} of ${entries} entries`, entries ? done / entries : 1)
    if (!over) timer = setTimeout(() => void again(), POLL_INTERVAL_MS)
  }
  let looking: Promise<void> = Promise.resolve()
  const again = () => (looking = look().catch(() => {}))
  timer = setTimeout(() => void again(), POLL_INTERVAL_MS)
  try {
    const { code } = await ended
    // unzip reports every failed write as a full disk (50). If enough space is free, a file exceeded
    // the size limit.
    const lied =
      code === 150 && (await bounds.free().catch(() => 0)) > bounds.largest + DISK_OVERHEAD_BYTES
    if (excess || lied) throw damagedArchive('This archive contains more than its file list says.')
    if (code !== 0) throw toUnzipError(code, await stderr)
  } finally {
    clearTimeout(timer)
    watching[Symbol.dispose]()
    await looking
    clearTimeout(timer)
  }
}

function toUnzipError(code: number | null, stderr: string) {
  // The script adds 100 to unzip's own exit codes. unzip exits with 50 if the disk is full.
  if (code === 150) return toFileError(1, 'No space left on device')
  if (code === null || code >= 100) {
    const full = /no space|quota exceeded|disk full/i.test(stderr)
    if (full) return toFileError(1, 'No space left on device')
    return damagedArchive('This archive is damaged.')
  }
  return toFileError(code, stderr)
}

async function readTail(stream: Readable): Promise<string> {
  let tail = ''
  for await (const chunk of stream) tail = (tail + String(chunk)).slice(-4_000)
  return tail
}

async function clearOf(root: WebRoot, archive: string, encoding?: ArchiveEncoding) {
  const { size } = await root.info(archive)
  return buildUnambiguousZipDirectory(size, sliceOf(root, archive), encoding)
}

function sliceOf(root: WebRoot, archive: string) {
  return async (start: number, length: number) =>
    bytesOf(await root.slice(archive, start, length), length)
}

/** Reads at most `length` bytes and ignores more, because the customer controls the instance. */
async function bytesOf(stream: Readable, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let missing = length
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, missing))
    missing -= chunk.length
    if (missing <= 0) break
  }
  return Buffer.concat(chunks)
}
