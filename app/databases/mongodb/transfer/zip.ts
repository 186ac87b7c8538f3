import type { Machine } from '#packages/machine/main'
import { commandFailed } from '#guest/public'
import { invalid } from '#core/app_error'
import { PassThrough, type Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

const MAX_ENTRIES = 50_000
/** Limit for the names, extra fields and comments of all entries together, because they stay in memory. */
const MAX_DIRECTORY_BYTES = 32 * 1024 ** 2
const MAX_UNPACKED_BYTES = 256 * 1024 ** 3
/**
 * Maximum ratio of unpacked to packed size. Checked above RATIO_CHECK_MIN_BYTES. Repetitive documents can shrink to
 * a hundredth.
 */
const MAX_COMPRESSION_RATIO = 400
const RATIO_CHECK_MIN_BYTES = 1024 ** 3
const DIRECTORY_READ_BYTES = 1024 * 1024

export interface ZippedFile {
  path: string
  /** Size after unpacking, according to the central directory. Reading fails if the actual size differs. */
  size: number
  read(): Promise<Readable>
}

export interface OpenedZip {
  files: ZippedFile[]
  close(): void
}

/**
 * Reads only the central directory.
 * @throws 422 at `file` for unsafe archives: paths that lead outside, links, encryption, too many
 * entries, zip bombs
 */
export async function openZipOnMachine(
  machine: Machine,
  path: string,
  options: { user?: 'root' }
): Promise<OpenedZip> {
  const size = await sizeOf(machine, path, options)
  const reader = new MachineFile(machine, path, options)
  let zip: ZipFile
  try {
    zip = await fromRandomAccessReaderPromise(reader, size, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
    })
  } catch (error) {
    throw (
      reader.problem ??
      invalidImportFile(`The file is not a readable zip archive (${messageOf(error)}).`)
    )
  }
  try {
    if (zip.entryCount > MAX_ENTRIES) {
      throw invalidImportFile(
        `The archive contains more than ${MAX_ENTRIES.toLocaleString('en')} entries.`
      )
    }
    const files: ZippedFile[] = []
    let [packed, unpacked, directory] = [0, 0, 0]
    for await (const entry of zip.eachEntry()) {
      rejectSpecialEntry(entry)
      directory += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (directory > MAX_DIRECTORY_BYTES) {
        throw invalidImportFile('The file list of the archive is too large.')
      }
      packed += entry.compressedSize
      unpacked += entry.uncompressedSize
      if (entry.fileName.endsWith('/')) continue
      files.push({
        path: entry.fileName,
        size: entry.uncompressedSize,
        read: () => zip.openReadStreamPromise(entry),
      })
    }
    // Overlapping entries, or a ratio that documents cannot reach, indicate a zip bomb.
    const grows = unpacked > RATIO_CHECK_MIN_BYTES && unpacked > size * MAX_COMPRESSION_RATIO
    if (packed > size || grows || unpacked > MAX_UNPACKED_BYTES) {
      throw invalidImportFile('The unpacked content of the archive would be too large.')
    }
    return { files, close: () => zip.close() }
  } catch (error) {
    zip.close()
    if (reader.problem) throw reader.problem
    if (error instanceof Error && error.name === 'AppError') throw error
    throw invalidImportFile(`The archive cannot be read (${messageOf(error)}).`)
  }
}

function rejectSpecialEntry(entry: Entry): void {
  if (entry.isEncrypted()) throw invalidImportFile('The archive is encrypted.')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw invalidImportFile('The archive uses an unsupported compression method.')
  }
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000
  const isUnix = [3, 19].includes(entry.versionMadeBy >> 8)
  if (isUnix && kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
    throw invalidImportFile('The archive contains entries that are neither files nor folders.')
  }
}

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200)

export function invalidImportFile(reason: string) {
  return invalid({ file: `${reason} Nothing was changed.` })
}

async function sizeOf(machine: Machine, path: string, options: { user?: 'root' }): Promise<number> {
  const argv = ['stat', '-c', '%s', '--', path]
  const { code, stdout, stderr } = await machine.exec(argv, {
    cwd: '/',
    timeout: 60_000,
    ...options,
  })
  if (code !== 0) throw commandFailed('The file could not be read', stderr.toString())
  return Number(stdout.toString().trim())
}

/** Reads byte ranges of a remote file. Caches a block, so that adjacent small reads need one command. */
class MachineFile extends RandomAccessReader {
  problem: Error | null = null
  #block: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }

  readonly #machine: Machine
  readonly #path: string
  readonly #options: { user?: 'root' }

  constructor(machine: Machine, path: string, options: { user?: 'root' }) {
    super()
    this.#machine = machine
    this.#path = path
    this.#options = options
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const out = new PassThrough({ highWaterMark: 256 * 1024 })
    this.#pour(start, end - start, out).catch((error: Error) => out.destroy(error))
    return out
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void
  ): void {
    this.#bytesAt(position, length)
      .then((bytes) => {
        if (bytes.length < length) throw new Error('unexpected EOF')
        bytes.copy(buffer, offset, 0, length)
      })
      .then(
        () => done(null),
        (error: Error) => done(error)
      )
  }

  async #bytesAt(position: number, length: number): Promise<Buffer> {
    const { at, bytes } = this.#block
    if (position < at || position + length > at + bytes.length) {
      const read = await this.#exec(position, Math.max(length, DIRECTORY_READ_BYTES))
      this.#block = { at: position, bytes: read }
    }
    const from = position - this.#block.at
    return this.#block.bytes.subarray(from, from + length)
  }

  async #exec(start: number, length: number): Promise<Buffer> {
    const options = { cwd: '/', timeout: 300_000, maxOutput: length + 64 * 1024, ...this.#options }
    const { code, stdout, stderr } = await this.#machine.exec(this.#argv(start, length), options)
    if (code === 0) return stdout
    throw (this.problem = commandFailed('The file could not be read', stderr.toString()))
  }

  async #pour(start: number, length: number, out: PassThrough): Promise<void> {
    const process = await this.#machine.spawn(this.#argv(start, length), {
      cwd: '/',
      ...this.#options,
    })
    const stop = () => void process.kill('SIGKILL').catch(() => {})
    out.once('close', stop)
    process.stdin.on('error', () => {}).end()
    process.stderr.resume()
    process.stdout.pipe(out, { end: false })
    const { code } = await process.exit
    if (!process.stdout.readableEnded) {
      await new Promise((resolve) => process.stdout.once('end', resolve).once('close', resolve))
    }
    if (code !== 0 && !out.destroyed) throw new Error('The file could not be read to its end')
    out.end()
  }

  #argv(start: number, length: number): string[] {
    return [
      'dd',
      `if=${this.#path}`,
      'bs=1M',
      'iflag=skip_bytes,count_bytes,fullblock',
      `skip=${start}`,
      `count=${length}`,
      'status=none',
    ]
  }
}
