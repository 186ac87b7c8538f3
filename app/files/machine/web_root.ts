import { reservedArchiveNameError } from '#files/inspect_zip_before_unpacking'
import {
  badArchive,
  changedMeanwhile,
  uploadInterrupted,
  permissionDenied,
  diskFull,
  nameExists,
  fileGone,
  linkHasNoMode,
  cannotMoveIntoItself,
  selectedEntryMissing,
  notAFile,
  notAFolder,
  partlyDone,
  tooLargeToEdit,
  tooManyToZip,
} from '#files/errors'
import { linkLeadsOutside } from '#files/link_leads_outside'
import { END_MARKER_NAME, BatchUpload } from '#files/machine/batch_upload'
import { FILE_MANAGER_SCRIPT } from '#files/machine/file_manager_script'
import { createMinorGcTrigger } from '#files/machine/free_buffers_early'
import {
  toOctalEscapes,
  losslessTextToBytes,
  machineReportedError,
  noWebRoot,
  pathOutsideWebRoot,
  TEMPORARY_FILE_PREFIX,
  translateMachineErrors,
  webRootScriptArgv,
  splitPath,
  bytesToLosslessText,
  encodeUnsafeName,
} from '#guest/machine/public_without_database'
import { type Machine, MachineError, type RemoteProcess } from '#packages/machine/main'
import { convertIfMachineError, machineErrorToAppError } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createHash, randomBytes } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Short work; longer work has its own. Milliseconds. */
const TIMEOUT_MS = 30_000
const LONG_TIMEOUT_MS = 10 * 60_000
/** What a command may take to end, and to clean up behind itself. */
const EXIT_GRACE_MS = 2_000
const NUL_BYTE = Buffer.from([0])

/** One entry of a folder. Sizes in bytes, `modified` an ISO instant, `mode` as `0644`. */
export interface Entry {
  name: string
  size: number
  modified: string
  mode: string
  /** Where a symbolic link points, as written. */
  link?: string
  /** What calls name it by, where that is not its name (`encodePath`). */
  wire?: string
}

export interface Listing {
  directories: Entry[]
  files: Entry[]
}

/** An open file: bytes, whole seconds since 1970. */
export interface FileAttributes {
  size: number
  mtime: number
  mode: string
}

export interface TextFile extends FileAttributes {
  content: Buffer
  version: string
}

/** What a machine sends of a folder. */
export interface FolderTar {
  /** A tar; fails where it is not whole. */
  tar: Readable
  /** What tar said of things that it could not read, once it has ended. */
  notes: Promise<string>
}

export type EntryType = 'file' | 'folder'

/**
 * The web root of one machine. Paths come from `parseWebPath`; everything else about them, links
 * above all, is decided on the machine by one script in the same step that does the work. Throws
 * refusals only.
 */
export class WebRoot {
  readonly #machine: Machine

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** What a folder holds; links to folders are among the directories. */
  async list(folder: string): Promise<Listing> {
    const { stdout } = await this.#run(['list', folder])
    return entriesOf(stdout)
  }

  /** Size and age of a file. */
  async info(path: string): Promise<FileAttributes> {
    const { stdout } = await this.#run(['info', ...parts(path)])
    return parseAttributes(stdout.toString())
  }

  /** A whole file of at most `limit` bytes; 413 for a larger one. */
  async read(path: string, limit: number): Promise<TextFile> {
    const { stdout } = await this.#run(['read', ...parts(path), String(limit + 1)])
    const end = stdout.indexOf('\n')
    const attributes = parseAttributes(stdout.subarray(0, end).toString())
    const content = stdout.subarray(end + 1)
    if (content.length > limit) throw tooLargeToEdit()
    return { ...attributes, content, version: versionOf(attributes, content) }
  }

  /**
   * The bytes from `start`, `length` of them; flows as fast as the reader takes it. Fails when the
   * file has become shorter meanwhile, so that half a file is never taken for a whole one.
   */
  async slice(path: string, start: number, length: number): Promise<Readable> {
    const argv = ['slice', ...parts(path), String(start), String(length)]
    const isWhole = (code: number | null, sent: number) => code === 0 && sent === length
    return (await this.#flow(argv, isWhole)).out
  }

  /**
   * A folder, or only the `names` in it, as a tar, which flows as fast as the reader takes it and fails where
   * it is not whole. 404 where one is not there, 413 where there is more than `maxEntries`, before the first byte.
   */
  async pack(folder: string, names: string[] | null, maxEntries: number): Promise<FolderTar> {
    const stdin = Buffer.concat(
      (names ?? []).flatMap((name) => [losslessTextToBytes(name), NUL_BYTE])
    )
    // 1: something changed while it was read, which tar says.
    const isWhole = (code: number | null) => code === 0 || code === 1
    const { out: tar, stderr } = await this.#flow(
      ['pack', folder, String(maxEntries)],
      isWhole,
      stdin
    )
    await once(tar, 'readable')
    return { tar, notes: stderr.then((stderr) => packingNotes(stderr.toString())) }
  }

  /**
   * Replaces a file's content, whole or not at all; keeps its mode. `version` is what the content
   * was made from: 409 when that is no longer what is there; null replaces whatever is there.
   */
  async save(path: string, content: Buffer, version: string | null): Promise<string> {
    const { stdout } = await this.#run(
      [
        'save',
        ...parts(path),
        temporaryName(),
        version ? hashOf(version) : '',
        String(content.length),
      ],
      { stdin: content }
    )
    return versionOf(parseAttributes(stdout.toString()), content)
  }

  /** Makes an empty file or a folder; 409 where something of this name is. */
  async make(folder: string, type: EntryType, name: string): Promise<void> {
    await this.#run(['make', folder, type, name], { name })
  }

  /** What is at a place where something is to come, and how many bytes are free there. */
  async room(path: string): Promise<{ there: 'nothing' | EntryType; free: number }> {
    const { stdout } = await this.#run(['room', ...parts(path)])
    const [there, space] = stdout.toString().trim().split('\n')
    const [blocks, size] = space.split(' ').map(Number)
    return { there: there as 'nothing' | EntryType, free: blocks * size }
  }

  /**
   * Takes a stream in under a temporary name and answers that name. Nothing of it is left when the
   * stream fails, the machine is lost or its disk is full.
   */
  async receive(content: Readable): Promise<string> {
    const name = temporaryName()
    const seal = randomBytes(16).toString('hex')
    const argv = this.#argv(['receive', name, seal])
    const process = await translateMachineErrors(() => this.#machine.spawn(argv))
    const stderr = collect(process.stderr)
    process.stdout.resume()
    const tidy = createMinorGcTrigger()
    content.on('data', (chunk: Buffer) => tidy(chunk.length))
    // The seal comes last: an end without it is a cut, and the machine throws the rest away.
    const fed = pipeline(content, process.stdin, { end: false }).then(() => {
      process.stdin.end(seal)
    })
    const ended = taken(process, stderr)
    try {
      await Promise.race([ended, fed.then(() => ended)])
    } catch (error) {
      fed.catch(() => {})
      ended.catch(() => {})
      process.stdin.destroy()
      await this.#stop(process)
      throw error
    }
    return name
  }

  /** Gives what was received its place; 409 where something is and `overwrite` is not wished. */
  async putFile(temporary: string, path: string, overwrite: boolean): Promise<void> {
    const argv = ['place', temporary, ...parts(path), overwrite ? 'yes' : 'no']
    await this.#run(argv, { name: splitPath(path).name })
  }

  /** Throws away what was received. */
  async discard(temporary: string): Promise<void> {
    await this.#run(['discard', temporary])
  }

  /** Begins to take many small files into a folder. */
  async receiveMany(folder: string): Promise<BatchUpload> {
    const argv = this.#argv(['many', folder, temporaryName(), END_MARKER_NAME])
    const process = await translateMachineErrors(() => this.#machine.spawn(argv))
    const ended = taken(process, collect(process.stderr), collect(process.stdout))
    return new BatchUpload(process.stdin, ended, () => {
      process.stdin.destroy()
      return this.#stop(process)
    })
  }

  /** Deletes a file, or a folder with everything in it. Of a link only the link goes. */
  async delete(path: string, type: EntryType): Promise<void> {
    const { folder, name } = splitPath(path)
    await this.#run(['delete', folder, type, name], { timeout: LONG_TIMEOUT_MS })
  }

  /** Renames or moves; 409 where something of the new name is. */
  async rename(from: string, to: string): Promise<void> {
    await this.#run(['rename', ...parts(from), ...parts(to)], { name: splitPath(to).name })
  }

  /**
   * Copies files and folders into a folder: all of them, or none; 409 where a name is taken. In their
   * own folder copies are named anew. Links stay links; modes and times stay as they are.
   */
  async copy(paths: string[], folder: string): Promise<void> {
    await this.#each(['copy', folder, temporaryName()], paths)
  }

  /** Moves files and folders into a folder; 409, and nothing moves, where a name is taken. */
  async move(paths: string[], folder: string): Promise<void> {
    await this.#each(['move', folder], paths, 'moved')
  }

  /** Deletes files and folders with everything in them, in the order given. Of links only the links go. */
  async deleteMany(paths: string[]): Promise<void> {
    await this.#each(['delete-many'], paths, 'deleted')
  }

  /**
   * Changes modes; follows no link. A folder can be entered by whoever may read it (`folderModeFromFileMode`).
   * @param mode three octal digits
   * @param recursive everything below folders, too
   */
  async changeMode(paths: string[], mode: string, recursive: boolean): Promise<void> {
    await this.#each(
      ['mode', mode, folderModeFromFileMode(mode), recursive ? 'deep' : ''],
      paths,
      'changed'
    )
  }

  /**
   * Unpacks an archive into a hidden folder below `destination`, which is made if only it is
   * missing. `largest`: bytes that no file of it may exceed. What is not known to be `usable` by its
   * owner is made so. With `directoryAt`, standard input brings the directory that stands there in a
   * copy of the archive.
   */
  async unpack(
    archive: string,
    destination: string,
    temporary: string,
    { largest, usable, directoryAt }: { largest: number; usable: boolean; directoryAt?: number }
  ): Promise<RemoteProcess> {
    const blocks = String(Math.ceil(largest / 512) + 1)
    const args = [...parts(archive), destination, temporary, blocks, usable ? 'usable' : '']
    const argv = this.#argv(['unpack', ...args, String(directoryAt ?? '')])
    return translateMachineErrors(() => this.#machine.spawn(argv))
  }

  /** What was unpacked so far: bytes on the disk, and how many files and folders. */
  async usage(destination: string, temporary: string): Promise<{ bytes: number; entries: number }> {
    const { stdout } = await this.#run(['usage', destination, temporary])
    const [bytes, inodes] = stdout
      .toString()
      .split('\n')
      .map((line) => Number.parseInt(line, 10))
    return { bytes, entries: inodes - 1 }
  }

  /**
   * Makes links of files that hold their targets, among what was unpacked; those that would lead out of it go.
   * Answers how many went.
   */
  async makeLinks(destination: string, temporary: string, names: string[]): Promise<number> {
    const nulTerminated = (texts: string[]) =>
      Buffer.from(texts.map((each) => `${each}\0`).join(''))
    const options = { stdin: nulTerminated(names), timeout: LONG_TIMEOUT_MS }
    const { stdout } = await this.#run(['targets', destination, temporary], options)
    const lines = stdout.toString('latin1').split('\n')
    const links = names.map((name, index) => {
      const bytes = Buffer.from(lines[index] ?? '', 'base64')
      const target = bytes.toString()
      return isUtf8(bytes) && !linkLeadsOutside(name.split('/'), target)
        ? [name, target]
        : [name, '']
    })
    const linkOptions = { stdin: nulTerminated(links.flat()), timeout: LONG_TIMEOUT_MS }
    await this.#run(['link', destination, temporary], linkOptions)
    return links.filter(([, target]) => target === '').length
  }

  /**
   * Moves what was unpacked to its place: all of it, or nothing (409) where a name is taken. Links are let
   * through only where `makeLinks` made them.
   */
  async putUnpacked(destination: string, temporary: string, links: boolean): Promise<void> {
    const argv = ['unpacked', destination, temporary, links ? 'links' : '']
    await this.#run(argv, { timeout: LONG_TIMEOUT_MS })
  }

  /** Throws away what was unpacked. */
  async dropUnpacked(destination: string, temporary: string): Promise<void> {
    await this.#run(['drop', destination, temporary], { timeout: LONG_TIMEOUT_MS })
  }

  #argv(argv: string[]): string[] {
    const [verb, ...rest] = argv
    return webRootScriptArgv(FILE_MANAGER_SCRIPT, verb, rest)
  }

  /** What a command writes, as fast as the reader takes it; fails where the command's end says that it is not whole. */
  async #flow(
    argv: string[],
    isWhole: (code: number | null, sent: number) => boolean,
    stdin?: Buffer
  ): Promise<{ out: Readable; stderr: Promise<Buffer> }> {
    const process = await translateMachineErrors(() => this.#machine.spawn(this.#argv(argv)))
    // Where it ends before it has read this, its exit says why.
    process.stdin.on('error', () => {}).end(stdin)
    const stderr = collect(process.stderr)
    stderr.catch(() => {})
    const out = new PassThrough({ highWaterMark: 256 * 1024 })
    let [sent, over] = [0, false]
    const tidy = createMinorGcTrigger()
    process.stdout.on('data', (chunk: Buffer) => {
      sent += chunk.length
      tidy(chunk.length)
    })
    process.stdout.pipe(out, { end: false })
    process.exit.then(
      async ({ code }) => {
        over = true
        if (out.destroyed) return
        if (!isWhole(code, sent)) {
          out.destroy(
            code === 0 ? uploadInterrupted() : toFileError(code, (await stderr).toString())
          )
        } else if (process.stdout.readableEnded) out.end()
        else process.stdout.once('end', () => out.end())
      },
      (error) => {
        over = true
        out.destroy(convertIfMachineError(error) as Error)
      }
    )
    out.once('close', () => {
      if (!over) void process.kill('SIGKILL').catch(() => {})
      process.stdout.resume()
    })
    return { out, stderr }
  }

  async #run(argv: string[], options: { stdin?: Buffer; timeout?: number; name?: string } = {}) {
    const { stdin, timeout = TIMEOUT_MS, name } = options
    const result = await translateMachineErrors(() =>
      this.#machine.exec(this.#argv(argv), { stdin, timeout })
    )
    if (result.code === 0) return result
    const clash = argv[0] === 'unpacked' ? bytesToLosslessText(result.stdout) : name
    throw toFileError(result.code, result.stderr.toString(), clash)
  }

  /** Work on several paths; a refusal half-way says how many are `done`. */
  async #each([verb, ...rest]: string[], paths: string[], done = ''): Promise<void> {
    const argv = this.#argv([verb, String(paths.length), ...rest])
    const stdin = Buffer.from(paths.map((path) => `${lineOf(path)}\n`).join(''))
    const options = { stdin, timeout: LONG_TIMEOUT_MS }
    const { code, stdout, stderr } = await translateMachineErrors(() =>
      this.#machine.exec(argv, options)
    )
    if (code === 0) return
    const name = stdout.subarray(stdout.lastIndexOf(0) + 1)
    const fileError = toFileError(code, stderr.toString(), bytesToLosslessText(name))
    const count = stdout.length - name.length
    throw count === 0 ? fileError : partlyDone(fileError, `${count} of ${paths.length} ${done}`)
  }

  /** Sees a command whose input ended to its end; a machine that is stuck is not waited for. */
  async #stop(process: RemoteProcess): Promise<void> {
    let over = false
    const ended = process.exit.catch(() => {}).then(() => void (over = true))
    const waitForExit = () => sleep(EXIT_GRACE_MS, undefined, { ref: false })
    await Promise.race([ended, waitForExit()])
    if (over) return
    await Promise.race([
      process.kill().then(
        () => ended,
        () => {}
      ),
      waitForExit(),
    ])
  }
}

/** Waits until what was sent is taken; `clash` says which name is taken already. */
async function taken(
  process: RemoteProcess,
  stderr: Promise<Buffer>,
  clash?: Promise<Buffer>
): Promise<void> {
  const { code } = await translateMachineErrors(() => process.exit)
  if (code === 0) return
  // Ended from outside: the machine itself stops, as Incus tells it.
  if (code === null || code < 0 || code > 128)
    throw machineErrorToAppError(
      new MachineError('unreachable', `The command ended with code ${code}`)
    )
  throw toFileError(code, (await stderr).toString(), clash && bytesToLosslessText(await clash))
}

/** A name for what is not yet in place; hidden from lists. */
export function temporaryName(): string {
  return `${TEMPORARY_FILE_PREFIX}${randomBytes(9).toString('hex')}.part`
}

/** What an exit code of the script, or else its words, mean (`file_manager_script.ts`). */
export function toFileError(code: number | null, stderr: string, name?: string): AppError {
  const message = stderr.trim()
  const known = code === null ? undefined : outcomes[code]
  if (known) return known(name)
  // The shell's own words for a redirection that failed are the system's; tar's tell of a part that was taken.
  if (/no space left|quota exceeded|write error: No space|Wrote only/i.test(message))
    return diskFull()
  if (/permission denied|not permitted|read-only file system/i.test(message))
    return permissionDenied()
  if (/file name too long/i.test(message)) return machineReportedError('the name is too long.')
  if (/no such file or directory/i.test(message)) return fileGone()
  if (/subdirectory of itself/i.test(message))
    return machineReportedError('a folder cannot go into itself.')
  return machineReportedError(message)
}

const outcomes: Record<number, (name?: string) => AppError> = {
  20: pathOutsideWebRoot,
  21: fileGone,
  22: nameExists,
  24: notAFolder,
  25: notAFile,
  26: changedMeanwhile,
  27: permissionDenied,
  28: () => badArchive('This archive contains entries that are neither files nor folders.'),
  29: reservedArchiveNameError,
  30: uploadInterrupted,
  31: noWebRoot,
  32: cannotMoveIntoItself,
  33: linkHasNoMode,
  34: selectedEntryMissing,
  35: tooManyToZip,
}

function parts(path: string): [string, string] {
  const { folder, name } = splitPath(path)
  return [folder, name]
}

/** A path as a line that the script reads. */
function lineOf(path: string): string {
  return toOctalEscapes(path).replaceAll('\n', '\\0012')
}

/** The mode of folders where files get `mode`: x where r is. */
export function folderModeFromFileMode(mode: string): string {
  return mode.replaceAll(/[4-7]/g, (digit) => String(Number(digit) | 1))
}

/** What the script says of a file. Its programs are the tenant's, so that it may be anything. */
function parseAttributes(line: string): FileAttributes {
  const [, size, mtime, mode] = /^(\d+) (-?\d+) ([0-7]{1,4})$/.exec(line.trim()) ?? unreadable()
  return { size: Number(size), mtime: Number(mtime), mode: mode.padStart(4, '0') }
}

function unreadable(): never {
  throw machineReportedError('the server instance sent an answer that cannot be read.')
}

/** What a file was when it was read: age, size, hash. Any difference is a change. */
function versionOf({ mtime, size }: FileAttributes, content: Buffer): string {
  return `${mtime}-${size}-${createHash('sha256').update(content).digest('hex')}`
}

function hashOf(version: string): string {
  const hash = /-([0-9a-f]{64})$/.exec(version)?.[1]
  if (!hash) throw changedMeanwhile()
  return hash
}

function instantOf(seconds: string): string {
  const instant = new Date(Number(seconds) * 1000)
  return Number.isNaN(instant.getTime()) ? unreadable() : instant.toISOString()
}

function entriesOf(bytes: Buffer): Listing {
  const listing: Listing = { directories: [], files: [] }
  let at = 0
  const next = () => {
    const end = bytes.indexOf(0, at)
    if (end === -1) unreadable()
    const field = bytes.subarray(at, end)
    at = end + 1
    return field
  }
  while (at < bytes.length) {
    const [own, target, size, time, mode] = Array.from({ length: 5 }, () => next().toString())
    const raw = next()
    const name = bytesToLosslessText(raw)
    const wire = encodeUnsafeName(name)
    const link = next().toString()
    const entry: Entry = {
      name: name.toWellFormed(),
      size: Number(size),
      modified: instantOf(time),
      mode: mode.padStart(4, '0'),
      ...(own === 'l' && { link }),
      ...(wire !== null && { wire }),
    }
    if (target === 'd') listing.directories.push(entry)
    else listing.files.push(entry)
  }
  const byName = (a: Entry, b: Entry) => (a.name < b.name ? -1 : 1)
  listing.directories.sort(byName)
  listing.files.sort(byName)
  return listing
}

/** What tar says of single things, without what it says of itself. */
function packingNotes(stderr: string): string {
  return stderr
    .split('\n')
    .map((line) =>
      line
        .replace(/^tar: (Exiting with|Removing|Error is).*/, '')
        .replace(/^tar: (\.\/)?/, '')
        .replace(': Warning: ', ': ')
    )
    .join('\n')
}

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) if (chunks.length < 64) chunks.push(chunk)
  return Buffer.concat(chunks)
}
