import { spawn, type ChildProcess } from 'node:child_process'
import { addAbortListener, once } from 'node:events'
import { existsSync } from 'node:fs'
import { statfs, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Retention, BackupTarget } from '../../packages/backup/contract.js'
import { forEachLine } from '../../packages/machine/line_splitter.js'
import { CliError } from '../berth_home.js'
import { installAptPackages } from '../apt_packages.js'
import { signalProcessGroup, withParentDeathSignal } from '../run_program.js'

/** `message` is for people, `code` for programs. */
export class BackupError extends CliError {
  constructor(
    readonly code: 'wrong_key' | 'none' | 'full' | 'away' | 'busy' | 'differs' | 'refused',
    message: string
  ) {
    super(message)
  }
}

export interface Snapshot {
  id: string
  /** In restic, each tag is `key=value`. */
  tags: Record<string, string>
  time: string
}

export interface SnapshotSummary {
  /** Snapshot ID. restic before 0.15 returns only its first characters. `wholeIds` completes it. */
  id: string
  /** `bytes`: read bytes. `added`: bytes that were added to the target. */
  bytes: number
  added: number
}

export interface ResticOptions {
  target: BackupTarget
  key: string
  cache: string
  signal?: AbortSignal
  waits?: FullTargetTimeouts
}

/** Time limits if the target is full. After these, restic is stopped with SIGTERM. */
export interface FullTargetTimeouts {
  /**
   * Time for restic to exit after it has given up a write. restic 0.18 may hang then, because it waits for its own
   * stopped goroutines.
   */
  endsWithinMs: number
  /**
   * Time without progress after which restic counts as stalled. Applies only if the target is a folder with less than
   * `LOW_SPACE_BYTES` free.
   */
  stalledMs: number
}

const FULL_TARGET_WAITS: FullTargetTimeouts = { endsWithinMs: 10_000, stalledMs: 60_000 }

interface Call {
  cwd?: string
  /** Data for restic's standard input. If this stream fails, restic is killed and saves nothing. */
  stdin?: AsyncIterable<Buffer>
  hear?: (line: string) => void
  /** Exit codes of a success, in addition to 0. */
  accept?: number[]
  to?: NodeJS.WritableStream
  stall?: StallWatch
}

const MAX_LINE_LENGTH = 4_000

const NO_SPACE = 'no space left on device'
const GO_TRACE_PATTERN = /^goroutine \d+ \[|all goroutines are asleep/m

/** restic prints this line when it gives up a write. */
const SAVE_FAILED_PATTERN = /^Save\(.*\) failed: /

const LOW_SPACE_BYTES = 64 * 1024 ** 2

/** Passes the password in the environment, which only restic's user and root can read. */
export class Restic {
  constructor(readonly options: ResticOptions) {
    assertBackupTarget(options.target)
  }

  /**
   * Opens the repository and lists its snapshots in one run of restic, because each run needs much time to derive the
   * key. With `make`, creates a missing repository.
   */
  async open({ make }: { make: boolean }): Promise<Snapshot[]> {
    await this.#knock()
    return this.snapshots().catch(async (error: unknown) => {
      if (!make || !(error instanceof BackupError) || error.code !== 'none') throw error
      await this.run(['init', '--repository-version=2'])
      return []
    })
  }

  /** Throws quickly if an S3 target cannot be reached. restic itself would retry for 15 minutes. */
  async #knock(): Promise<void> {
    const { place } = this.options.target
    if (!place.startsWith('s3:')) return
    const { hostname, port, protocol } = new URL(place.slice('s3:'.length))
    const socket = connect({
      host: hostname,
      port: Number(port) || (protocol === 'http:' ? 80 : 443),
    })
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(10_000) })
    } catch (error) {
      const { message } = error as Error
      throw new BackupError('away', `The target ${place} cannot be reached: ${message}`)
    } finally {
      socket.destroy()
    }
  }

  async snapshots(tags: Record<string, string> = {}): Promise<Snapshot[]> {
    const argv = ['snapshots', '--json', '--no-lock', ...tagArguments(tags)]
    const snapshots = JSON.parse(await this.run(argv)) as {
      id: string
      time: string
      tags?: string[]
    }[]
    return (snapshots ?? []).map(({ id, time, tags: rawTags }) => ({
      id,
      time,
      tags: readTags(rawTags),
    }))
  }

  /**
   * Backs up files. With `mayVanish`, files that disappear during the backup are ignored. An unreadable file is always
   * an error.
   * @param parent a snapshot. Files that have not changed since then are not read again. Default: all files are read
   */
  async backup(
    folder: string,
    paths: string[],
    options: {
      tags: Record<string, string>
      parent?: string
      exclude?: string[]
      mayVanish?: boolean
      onProgress?: (share: number, bytes: number) => void
    }
  ): Promise<SnapshotSummary> {
    const { tags, parent, exclude = [], mayVanish, onProgress } = options
    // Passes the paths in a file, because the length of command lines is limited.
    const list = join(this.options.cache, `paths.${process.pid}`)
    await writeFile(list, paths.map((path) => `${path}\0`).join(''), { mode: 0o600 })
    const argv = [
      'backup',
      '--json',
      '--host=berth',
      ...tagArguments(tags),
      ...(parent ? [`--parent=${parent}`] : ['--force']),
      ...exclude.map((pattern) => `--exclude=${pattern}`),
      `--files-from-raw=${list}`,
    ]
    let sent: SnapshotSummary | undefined
    const troubles: string[] = []
    const stall = new StallWatch(this.options.target, this.#waits.stalledMs)
    const output = await this.run(argv, {
      cwd: folder,
      stall,
      // Exit code 3: restic could not read some files.
      accept: mayVanish ? [3] : [],
      hear: (line) => {
        const message = parse(line)
        if (message?.message_type === 'status') {
          stall.note(`${message.bytes_done} ${message.files_done}`)
          onProgress?.(Number(message.percent_done ?? 0), Number(message.bytes_done ?? 0))
        } else if (message?.message_type === 'error') {
          troubles.push(line)
        } else if (message?.message_type === 'summary') {
          const { snapshot_id: id, total_bytes_processed: bytes, data_added: added } = message
          sent = { id: String(id), bytes: Number(bytes), added: Number(added) }
        }
      },
    })
    const bad = troubles.filter((line) => !/no such file or directory|"Err":2[,}]/i.test(line))
    if (bad.length)
      throw new BackupError('refused', `These files could not be read: ${bad[0].slice(0, 500)}`)
    if (!sent) throw new BackupError('refused', `restic printed no result: ${output.slice(-500)}`)
    return sent
  }

  get #waits(): FullTargetTimeouts {
    return this.options.waits ?? FULL_TARGET_WAITS
  }

  /** Keeps the order. restic may have returned only the beginning of the IDs. */
  async wholeIds(sent: SnapshotSummary[], tags: Record<string, string>): Promise<string[]> {
    if (sent.every(({ id }) => id.length === 64)) return sent.map(({ id }) => id)
    const there = await this.snapshots(tags)
    return sent.map(({ id }) => {
      const snapshot = there.find((each) => each.id.startsWith(id))
      if (snapshot) return snapshot.id
      throw new BackupError(
        'refused',
        `The backup (${id}) is missing at the target after the upload`
      )
    })
  }

  /** Saves nothing if the stream ends before `size` bytes. */
  async backupStream(
    name: string,
    stream: Readable,
    size: number,
    tags: Record<string, string>,
    onProgress?: (bytes: number) => void
  ): Promise<SnapshotSummary> {
    const argv = ['backup', '--json', '--host=berth', ...tagArguments(tags), '--stdin']
    let sent: SnapshotSummary | undefined
    await this.run([...argv, `--stdin-filename=${name}`], {
      stdin: exactly(stream, size),
      hear: (line) => {
        const message = parse(line)
        if (message?.message_type === 'status') onProgress?.(Number(message.bytes_done ?? 0))
        if (message?.message_type !== 'summary') return
        sent = { id: String(message.snapshot_id), bytes: size, added: Number(message.data_added) }
      },
    })
    if (!sent) throw new BackupError('refused', 'restic printed no result')
    return sent
  }

  /** @param path absolute path in the snapshot. Default: everything */
  async restore(id: string, folder: string, path?: string): Promise<void> {
    const part = path === undefined ? [] : [`--include=${path}`]
    await this.run(['restore', '--no-lock', id, `--target=${folder}`, ...part])
  }

  async dump(id: string, path: string, to: NodeJS.WritableStream): Promise<void> {
    await this.run(['dump', '--no-lock', id, path], { to })
  }

  /**
   * Removes snapshots that the retention rules do not keep. Always keeps the last two. Only `prune` frees the disk
   * space.
   */
  async forget(tags: Record<string, string>, { hours, days, weeks, months }: Retention) {
    await this.run([
      'forget',
      ...tagArguments(tags),
      '--group-by=host',
      '--keep-last=2',
      `--keep-hourly=${hours}`,
      `--keep-daily=${days}`,
      `--keep-weekly=${weeks}`,
      `--keep-monthly=${months}`,
    ])
  }

  async forgetThese(ids: string[]): Promise<void> {
    if (ids.length) await this.run(['forget', ...ids])
  }

  async prune(): Promise<void> {
    await this.run(['prune', '--max-unused=10%'])
  }

  async check(): Promise<void> {
    await this.run(['check'])
  }

  /** Removes repository locks of restic processes that were killed. */
  async unlock(): Promise<void> {
    await this.run(['unlock'])
  }

  /**
   * Returns restic's output; empty if `hear` or `to` receives it.
   * @throws BackupError if restic fails, or the signal's reason if it is aborted
   */
  async run(argv: string[], call: Call = {}): Promise<string> {
    const { signal } = this.options
    signal?.throwIfAborted()
    const [program, ...rest] = withParentDeathSignal(['restic', ...argv], 'TERM')
    const child = spawn(program, rest, {
      cwd: call.cwd ?? '/',
      env: this.#env(),
      detached: true,
      stdio: [call.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    })
    const stop = () => signalProcessGroup(child, 'SIGTERM')
    const watching = signal && addAbortListener(signal, stop)
    try {
      const [code, output, errors] = await this.#follow(child, call)
      signal?.throwIfAborted()
      if (code !== 0 && !call.accept?.includes(code))
        throw this.#toBackupError(code, errors || output)
      return output
    } finally {
      watching?.[Symbol.dispose]()
    }
  }

  async #follow(child: ChildProcess, call: Call): Promise<[number, string, string]> {
    let output = ''
    let errors = ''
    let end = ''
    let late: NodeJS.Timeout | undefined
    const { endsWithinMs, stalledMs } = this.#waits
    const ended = new Promise<number>((done) => {
      child.once('error', () => done(127))
      child.once('close', (code) => done(code ?? 1))
    })
    const looking = setInterval(async () => {
      if (!(await call.stall?.isStalled())) return
      errors += `\n${NO_SPACE}`
      signalProcessGroup(child, 'SIGTERM')
    }, stalledMs / 10)
    const reading = [
      forEachLine(child.stderr!, (line) => {
        call.hear?.(line)
        // Stores only the first error lines, which contain the reason, and the end of the others. After a deadlock,
        // restic also prints long stack traces.
        if (errors.length < MAX_LINE_LENGTH) errors += `\n${line.slice(0, MAX_LINE_LENGTH)}`
        else end = `${end}\n${line}`.slice(-MAX_LINE_LENGTH)
        if (SAVE_FAILED_PATTERN.test(line))
          late ??= setTimeout(signalProcessGroup, endsWithinMs, child, 'SIGTERM')
      }),
    ]
    if (call.to) reading.push(pipeline(child.stdout!, call.to, { end: false }))
    else {
      const { hear } = call
      reading.push(
        hear ? forEachLine(child.stdout!, hear) : whole(child.stdout!, (all) => (output = all))
      )
    }
    if (call.stdin) {
      // If the stream is incomplete, does not close restic's input. Otherwise restic would save a truncated file.
      await pipeline(call.stdin, child.stdin!, { end: false }).then(
        () => child.stdin!.end(),
        () => signalProcessGroup(child, 'SIGKILL')
      )
    }
    const code = await ended
    clearInterval(looking)
    clearTimeout(late)
    await Promise.all(reading).catch(() => {})
    // Uses the free space to detect a full target, because restic 0.14 may deadlock on a full folder without printing
    // the reason.
    if (GO_TRACE_PATTERN.test(`${errors}\n${end}`) && (await isNearlyFull(this.options.target)))
      errors += `\n${NO_SPACE}`
    return [code, output, end ? `${errors}\n${end}` : errors]
  }

  #env(): NodeJS.ProcessEnv {
    const { target, key, cache } = this.options
    const passedNames = ['PATH', 'LANG', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE']
    const known = passedNames.filter((name) => process.env[name])
    return {
      ...Object.fromEntries(known.map((name) => [name, process.env[name]])),
      RESTIC_REPOSITORY: target.place,
      RESTIC_PASSWORD: key,
      RESTIC_CACHE_DIR: cache,
      RESTIC_PROGRESS_FPS: '2',
      // Better compression than the default would need much more time and save little space.
      RESTIC_COMPRESSION: 'auto',
      ...(target.accessKeyId && { AWS_ACCESS_KEY_ID: target.accessKeyId }),
      ...(target.secretAccessKey && { AWS_SECRET_ACCESS_KEY: target.secretAccessKey }),
      AWS_DEFAULT_REGION: target.region ?? 'us-east-1',
    }
  }

  #toBackupError(code: number, stderr: string): BackupError {
    const { place } = this.options.target
    const end = stderr.trim().split('\n').slice(-3).join(' ').slice(-600)
    if (code === 127) return new BackupError('refused', 'restic is not installed')
    if (code === 12 || /wrong password or no key found/i.test(stderr)) {
      return new BackupError('wrong_key', `This backup key does not open the backups at ${place}`)
    }
    if (/no space left|disk quota exceeded|insufficient storage|\b507\b/i.test(stderr)) {
      return new BackupError(
        'full',
        `The target ${place} is full. Existing backups are not damaged`
      )
    }
    if (/read-only file system|permission denied|access ?denied|forbidden/i.test(stderr)) {
      return new BackupError('refused', `The target ${place} cannot be written: ${end}`)
    }
    if (code === 10 || /is there a repository at|specified key does not exist/i.test(stderr)) {
      return new BackupError(
        'none',
        `There are no backups of Berth at ${place}. Check that its disk is mounted`
      )
    }
    if (/already locked/i.test(stderr)) {
      return new BackupError('busy', `Another program is using the backups at ${place}: ${end}`)
    }
    if (
      /dial tcp|connection refused|no such host|timeout|unable to open (config|repo)/i.test(stderr)
    )
      return new BackupError('away', `The target ${place} cannot be reached: ${end}`)
    return new BackupError('refused', `restic ended with code ${code}: ${end}`)
  }
}

/**
 * Detects that restic 0.14 hangs because its target folder is full. restic does not print that. Missing progress alone
 * proves nothing, because a slow disk may block for long.
 */
class StallWatch {
  #progress = ''
  #since = Date.now()

  readonly #target: BackupTarget
  readonly #stalledMs: number

  constructor(target: BackupTarget, stalledMs: number) {
    this.#target = target
    this.#stalledMs = stalledMs
  }

  note(progress: string): void {
    if (progress === this.#progress) return
    this.#progress = progress
    this.#since = Date.now()
  }

  async isStalled(): Promise<boolean> {
    return Date.now() - this.#since >= this.#stalledMs && (await isNearlyFull(this.#target))
  }
}

/** Always false for an S3 target. */
async function isNearlyFull({ place }: BackupTarget): Promise<boolean> {
  if (!place.startsWith('/')) return false
  const disk = await statfs(place).catch(() => null)
  return disk !== null && disk.bavail * disk.bsize < LOW_SPACE_BYTES
}

/** @throws BackupError if the target is neither an absolute path nor an S3 URL */
export function assertBackupTarget({ place }: BackupTarget): void {
  if (place.startsWith('/') && !place.includes('\0')) return
  if (/^s3:https?:\/\/[^/\s@]+\/[^\s]+$/.test(place)) return
  throw new BackupError(
    'refused',
    'Enter a target as an absolute path such as /mnt/backup, or as s3:https://host/bucket/folder'
  )
}

/** @throws Error with apt's output if the installation fails, CliError if this process cannot install packages */
export async function ensureRestic(): Promise<void> {
  const paths = ['/usr/bin/restic', '/usr/local/bin/restic']
  if (paths.some((path) => existsSync(path))) return
  await installAptPackages(['restic'])
  if (paths.some((path) => existsSync(path))) return
  throw new CliError('Backups need restic: apt-get install restic')
}

function tagArguments(tags: Record<string, string>): string[] {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`)
  return pairs.length ? [`--tag=${pairs.join(',')}`] : []
}

export function filterSnapshotsByKind(there: Snapshot[], ...kinds: string[]): Snapshot[] {
  return there.filter(({ tags }) => kinds.includes(tags.kind))
}

function readTags(tags: string[] = []): Record<string, string> {
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf('=')
      return [tag.slice(0, at), tag.slice(at + 1)]
    })
  )
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

async function whole(stream: Readable, done: (all: string) => void): Promise<void> {
  done(Buffer.concat(await stream.toArray()).toString())
}

/**
 * Yields the first `size` bytes of a stream, and leaves the stream open.
 * @throws Error if the stream ends before that
 */
async function* exactly(stream: Readable, size: number): AsyncIterable<Buffer> {
  let left = size
  if (left === 0) return
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
  throw new Error(`${left} bytes are missing`)
}
