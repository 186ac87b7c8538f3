import { MAX_ARCHIVE_ENTRIES, reservedArchiveNameError } from '#files/inspect_zip_before_unpacking'
import {
  damagedArchive,
  changedMeanwhile,
  createdMeanwhile,
  uploadInterrupted,
  permissionDenied,
  diskFull,
  nameExists,
  fileNotFound,
  linkHasNoMode,
  cannotMoveIntoItself,
  selectedEntryMissing,
  notAFile,
  notAFolder,
  withPartialResult,
  tooLargeToEdit,
  tooManyToZip,
  folderTooLarge,
  offsetMismatch,
  uploadLocked,
  uploadHashMismatch,
  unpackedFilesMissing,
  unpackingLocked,
} from '#files/errors'
import { linkLeadsOutside } from '#files/link_leads_outside'
import { END_MARKER_NAME, BatchUpload } from '#files/machine/batch_upload'
import type { UnfinishedUpload } from '#files/unfinished_upload'
import { createMinorGcTrigger } from '#files/machine/free_buffers_early'
import {
  findStarterPage,
  translateMachineErrors,
  webRootScript,
  webRootScriptArgv,
} from '#guest/public_effects'
import {
  toOctalEscapes,
  losslessTextToBytes,
  machineReportedError,
  noWebRoot,
  pathOutsideWebRoot,
  TEMPORARY_FILE_PREFIX,
  splitPath,
  bytesToLosslessText,
  encodeUnsafeName,
} from '#guest/public'
import { type Machine, MachineError, type RemoteProcess } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'
import { toAppErrorIfMachineError, machineErrorToAppError } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createHash, randomBytes } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export const FILE_MANAGER_SCRIPT = webRootScript(readScript(import.meta, 'file_manager.sh'))

const TIMEOUT_MS = 30_000
const LONG_TIMEOUT_MS = 10 * 60_000
/** Time that a stopped command has to remove its temporary files. */
const EXIT_GRACE_MS = 2_000
/** Enough for 50,000 paths of 1,000 bytes. */
const MAX_COMPARISON_BYTES = 50_000_000
/**
 * Limits memory, because root of the instance can make a program send millions of empty entries.
 * They take far more memory than their bytes.
 */
const MAX_LISTED_ENTRIES = 100_000
const NUL_BYTE = Buffer.from([0])

/** `size` is in bytes, `modified` in ISO 8601, `mode` as in `0644`. */
export interface Entry {
  name: string
  size: number
  modified: string
  mode: string
  /** Target of a symbolic link, as stored in it. */
  link?: string
  /** The name as requests contain it, if it differs from `name` (`encodeUnsafeName`). */
  wire?: string
}

export interface FolderListing {
  directories: Entry[]
  files: Entry[]
}

/** `size` is in bytes, `mtime` in seconds since 1970. */
export interface FileAttributes {
  size: number
  mtime: number
  mode: string
}

export interface TextFile extends FileAttributes {
  content: Buffer
  version: string
}

export interface FolderTar {
  /** Stream of the tar. It fails if the instance does not send all of it. */
  tar: Readable
  /** tar's messages about unreadable files. Resolves after `tar` has ended. */
  notes: Promise<string>
}

export type EntryType = 'file' | 'folder'

export interface ExistingEntry {
  path: string
  unpacked: 'folder' | 'file' | 'link'
  there: 'folder' | 'file' | 'link' | 'other'
  /** False: the owner of the web root may not create files in this existing folder. */
  isWritable: boolean
}

interface RunOptions {
  stdin?: Buffer
  timeout?: number
  maxOutput?: number
  name?: string
  /**
   * True: if the command fails, it prints the name for the error message to stdout. `name` is then
   * ignored.
   */
  stdoutHasErrorName?: boolean
}

/** The byte range of a file that one request uploads. `end` is exclusive. */
export interface UploadPart {
  offset: number
  end: number
}

/**
 * Runs file operations in an instance's web root. Paths must come from `parsePathInWebRoot`. A script in
 * the instance checks everything else, above all links, in the same step as the operation. Errors of
 * the instance are `AppError`s; errors of a stream that a caller passes are thrown unchanged.
 */
export class WebRoot {
  readonly #machine: Machine

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** `directories` contains links to folders too. */
  async list(folder: string): Promise<FolderListing> {
    const { stdout } = await this.#run(['list', folder])
    return entriesOf(stdout)
  }

  async info(path: string): Promise<FileAttributes> {
    const { stdout } = await this.#run(['info', ...parts(path)])
    return parseAttributes(stdout.toString())
  }

  /** @throws 413 if the file is larger than `limit` bytes */
  async read(path: string, limit: number): Promise<TextFile> {
    const { stdout } = await this.#run(['read', ...parts(path), String(limit + 1)])
    const end = stdout.indexOf('\n')
    const attributes = parseAttributes(stdout.subarray(0, end).toString())
    const content = stdout.subarray(end + 1)
    if (content.length > limit) throw tooLargeToEdit()
    return { ...attributes, content, version: versionOf(attributes, content) }
  }

  /**
   * Streams a part of a file. The stream fails if the file has become shorter, so that a shortened
   * part does not look complete.
   */
  async slice(path: string, start: number, length: number): Promise<Readable> {
    const argv = ['slice', ...parts(path), String(start), String(length)]
    const isWhole = (code: number | null, sent: number) => code === 0 && sent === length
    return (await this.#flow(argv, isWhole)).out
  }

  /**
   * Streams a tar of the whole folder, or of `names` in it. The stream fails if it is incomplete.
   * @throws before the first byte: 404 if a name is missing, 413 above `maxEntries` entries
   */
  async pack(folder: string, names: string[] | null, maxEntries: number): Promise<FolderTar> {
    const stdin = Buffer.concat(
      (names ?? []).flatMap((name) => [losslessTextToBytes(name), NUL_BYTE])
    )
    // tar exits with 1 if a file changed while tar read it. tar's messages name that file.
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
   * Writes the whole file or nothing. The file keeps its mode.
   * @param version the version on which the new content is based; null replaces any version
   * @throws 409 if the content in the instance differs from that version
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

  /** @throws 409 if the name is taken */
  async make(folder: string, type: EntryType, name: string): Promise<void> {
    await this.#run(['make', folder, type, name], { name })
  }

  /**
   * Returns whether the path is a file, a folder or missing, and the free bytes of its file system.
   */
  async inspectPath(path: string): Promise<{ existing: 'nothing' | EntryType; free: number }> {
    const { stdout } = await this.#run(['room', ...parts(path)])
    const [existing, space] = stdout.toString().trim().split('\n', 2)
    const [blocks, size] = space.split(' ').map(Number)
    return { existing: existing as 'nothing' | EntryType, free: blocks * size }
  }

  /**
   * Stores a stream under a temporary name and returns that name. After a failure, the script in the
   * instance deletes the file.
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
    // Sends the end mark after the content. Without that mark, the instance deletes the file.
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

  /**
   * Moves a received file to its path.
   * @throws 409 if the path is a folder, or if it is taken and `overwrite` is false
   */
  async putFile(temporary: string, path: string, overwrite: boolean): Promise<void> {
    const argv = ['place', temporary, ...parts(path), overwrite ? 'yes' : 'no']
    await this.#run(argv, { name: splitPath(path).name })
  }

  async discard(temporary: string): Promise<void> {
    await this.#run(['discard', temporary])
  }

  /**
   * Returns the offset at which the upload continues, and the total bytes of unfinished uploads of
   * the file's other versions. The part at offset 0 deletes those uploads.
   */
  async uploadProgress(
    upload: UnfinishedUpload
  ): Promise<{ offset: number; otherVersionBytes: number }> {
    const { temporary, prefix, size } = upload
    const { stdout } = await this.#run(['progress', temporary, prefix, String(size)])
    const [, offset, other] = /^(\d+) (\d+)$/.exec(stdout.toString().trim()) ?? unreadable()
    return { offset: Number(offset), otherVersionBytes: Number(other) }
  }

  /**
   * Appends to the temporary file. If `content` fails, the bytes that arrived stay in the file.
   * @throws 409 if the upload does not continue at `offset`, 423 if another process writes to the file
   */
  async receivePart(
    { temporary, prefix, size }: UnfinishedUpload,
    { offset, end }: UploadPart,
    content: Readable
  ): Promise<void> {
    const numbers = [offset, end, size].map(String)
    const argv = this.#argv(['receive-part', temporary, prefix, ...numbers])
    const process = await translateMachineErrors(() => this.#machine.spawn(argv))
    const ended = taken(process, collect(process.stderr))
    process.stdout.resume()
    let interruption: unknown
    const interruptible = async function* () {
      const tidy = createMinorGcTrigger()
      try {
        for await (const chunk of content as AsyncIterable<Buffer>) {
          tidy(chunk.length)
          yield chunk
        }
      } catch (error) {
        // Keeps the error, and ends the input normally. The command then stores the bytes that arrived,
        // before it fails.
        interruption = error
      }
    }
    const fed = pipeline(interruptible, process.stdin)
    try {
      await Promise.race([ended, fed.then(() => (interruption ? this.#within(ended) : ended))])
      if (interruption) throw interruption
    } catch (error) {
      fed.catch(() => {})
      ended.catch(() => {})
      content.destroy()
      process.stdin.destroy()
      await this.#stop(process)
      throw interruption ?? error
    }
  }

  /**
   * Checks the content and moves the file to its path. A repeated call has the same result.
   * @param hash SHA-256 of the list that `sha256sum` prints for pieces of 16 MiB
   * @throws 409 if the path is a folder, or is taken and `overwrite` is false, or if the upload is
   *   incomplete or its content differs; 423 if an earlier connection still writes to the file
   */
  async finishUpload(
    { temporary, size }: UnfinishedUpload,
    path: string,
    { overwrite, hash }: { overwrite: boolean; hash: string }
  ): Promise<void> {
    const target = [...parts(path), overwrite ? 'yes' : 'no']
    const argv = ['finish', temporary, ...target, String(size), hash]
    await this.#run(argv, { name: splitPath(path).name, timeout: LONG_TIMEOUT_MS })
  }

  async deleteLeftovers(): Promise<void> {
    await this.#run(['leftovers'])
  }

  async receiveMany(folder: string): Promise<BatchUpload> {
    const argv = this.#argv(['many', folder, temporaryName(), END_MARKER_NAME])
    const process = await translateMachineErrors(() => this.#machine.spawn(argv))
    const ended = taken(process, collect(process.stderr), collect(process.stdout))
    return new BatchUpload(process.stdin, ended, () => {
      process.stdin.destroy()
      return this.#stop(process)
    })
  }

  /** If the path is a link, its target stays. */
  async delete(path: string, type: EntryType): Promise<void> {
    const { folder, name } = splitPath(path)
    await this.#run(['delete', folder, type, name], { timeout: LONG_TIMEOUT_MS })
  }

  /** @throws 409 if the new name is taken */
  async rename(from: string, to: string): Promise<void> {
    await this.#run(['rename', ...parts(from), ...parts(to)], { name: splitPath(to).name })
  }

  /**
   * Copies all paths or none. A copy within the same folder gets a new name. Links stay links;
   * modes and times stay the same.
   * @throws 409 if a name is taken
   */
  async copy(paths: string[], folder: string): Promise<void> {
    await this.#each(['copy', folder, temporaryName()], paths)
  }

  /** @throws 409 if a name is taken; then nothing is moved */
  async move(paths: string[], folder: string): Promise<void> {
    await this.#each(['move', folder], paths, 'moved')
  }

  /** Deletes the paths in the given order. If a path is a link, its target stays. */
  async deleteMany(paths: string[]): Promise<void> {
    await this.#each(['delete-many'], paths, 'deleted')
  }

  /**
   * Changes modes without following links. For a folder, read permission also allows entering it
   * (`folderModeFromFileMode`).
   * @param mode three octal digits
   * @param recursive whether to change everything in the folders too
   */
  async changeMode(paths: string[], mode: string, recursive: boolean): Promise<void> {
    await this.#each(
      ['mode', mode, folderModeFromFileMode(mode), recursive ? 'deep' : ''],
      paths,
      'changed'
    )
  }

  /**
   * Unpacks into a hidden folder below `destination`. Creates `destination` if only its last
   * segment is missing. `largest`: maximum bytes of an unpacked file. Unless `usable`, the owner
   * gets read and write permission for everything, and everyone gets read permission for everything
   * except keys, credentials and dumps. With `directoryAt`, the process reads a central directory
   * from standard input, which replaces the original one in a copy of the archive.
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

  /** Returns the number of bytes and entries unpacked so far. */
  async usage(destination: string, temporary: string): Promise<{ bytes: number; entries: number }> {
    const { stdout } = await this.#run(['usage', destination, temporary])
    const [bytes, inodes] = stdout
      .toString()
      .split('\n', 2)
      .map((line) => Number.parseInt(line, 10))
    return { bytes, entries: inodes - 1 }
  }

  /**
   * Replaces unpacked files by links with the targets that the files contain. Deletes files whose
   * target is empty, not UTF-8 or would lead outside. Returns the number of deleted files.
   */
  async makeLinks(destination: string, temporary: string, names: string[]): Promise<number> {
    const options = { stdin: nulTerminated(names), timeout: LONG_TIMEOUT_MS }
    const { stdout } = await this.#run(['targets', destination, temporary], options)
    const lines = stdout.toString('latin1').split('\n', names.length)
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
   * Returns existing entries at the paths of unpacked ones, without a starter page that is to be
   * replaced. Waits until an earlier attempt has stopped moving files; throws 409 after 120 s. Returns
   * null if the hidden folder does not exist. `links` allows symbolic links in the unpacked folder;
   * pass it only after `makeLinks`.
   */
  async compareUnpacked(
    destination: string,
    temporary: string,
    links: boolean
  ): Promise<ExistingEntry[] | null> {
    const page = await this.#starterPage(destination)
    const argv = ['compare', destination, temporary, links ? 'links' : '', ...page]
    const options = { timeout: LONG_TIMEOUT_MS, maxOutput: MAX_COMPARISON_BYTES }
    const { stdout } = await this.#run(argv, options)
    if (stdout.length === 0) return null
    const [starter, ...records] = nulTerminatedTexts(stdout, 2 * MAX_ARCHIVE_ENTRIES)
    return records.map(parseExistingEntry).filter(({ path }) => path !== starter)
  }

  /** Deletes unpacked files that the user wants to skip. */
  async leaveOutUnpacked(destination: string, temporary: string, paths: string[]): Promise<void> {
    const stdin = nulTerminated(paths.flatMap((path) => [path, '']))
    await this.#run(['link', destination, temporary], { stdin, timeout: LONG_TIMEOUT_MS })
  }

  /**
   * Moves unpacked files one by one over existing files.
   * @throws 409 if the hidden folder does not exist
   */
  async replaceByUnpacked(destination: string, temporary: string, paths: string[]): Promise<void> {
    const options = { stdin: nulTerminated(paths), timeout: LONG_TIMEOUT_MS }
    await this.#run(['replace', destination, temporary], options)
  }

  /**
   * Moves unpacked files to the destination one by one. An unpacked index file replaces an
   * unchanged starter page.
   * @param folders folders that also exist in the destination
   * @param replace whether to replace existing files
   * @returns the name of the replaced starter page, or an empty text
   * @throws 409 if another program has created a file or folder of the same name, or if the hidden
   *   folder does not exist
   */
  async putUnpacked(
    destination: string,
    temporary: string,
    folders: string[],
    replace: boolean
  ): Promise<string> {
    const page = await this.#starterPage(destination)
    const argv = ['unpacked', destination, temporary, replace ? 'replace' : '', ...page]
    const innerFirst = folders.toSorted((a, b) => b.split('/').length - a.split('/').length)
    const stdin = nulTerminated(innerFirst)
    const options = { stdin, timeout: LONG_TIMEOUT_MS, stdoutHasErrorName: true }
    const { stdout } = await this.#run(argv, options)
    return stdout.toString()
  }

  async #starterPage(destination: string): Promise<[name: string, hash: string]> {
    const starter = await findStarterPage(this.#machine, destination)
    return [starter?.name ?? '', starter?.hash ?? '']
  }

  async dropUnpacked(destination: string, temporary: string): Promise<void> {
    await this.#run(['drop', destination, temporary], { timeout: LONG_TIMEOUT_MS })
  }

  #argv(argv: string[]): string[] {
    const [verb, ...rest] = argv
    return webRootScriptArgv(FILE_MANAGER_SCRIPT, verb, rest)
  }

  /**
   * Streams the output of a command. The stream fails unless `isWhole` accepts the exit code and
   * the number of bytes.
   */
  async #flow(
    argv: string[],
    isWhole: (code: number | null, sent: number) => boolean,
    stdin?: Buffer
  ): Promise<{ out: Readable; stderr: Promise<Buffer> }> {
    const process = await translateMachineErrors(() => this.#machine.spawn(this.#argv(argv)))
    // Ignores this error. If the process exits before it has read its input, its exit code gives the
    // reason.
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
        out.destroy(toAppErrorIfMachineError(error) as Error)
      }
    )
    out.once('close', () => {
      if (!over) void process.kill('SIGKILL').catch(() => {})
      process.stdout.resume()
    })
    return { out, stderr }
  }

  async #run(argv: string[], options: RunOptions = {}) {
    const { name, stdoutHasErrorName, timeout = TIMEOUT_MS, stdin, maxOutput } = options
    const result = await translateMachineErrors(() =>
      this.#machine.exec(this.#argv(argv), { stdin, timeout, maxOutput })
    )
    if (result.code === 0) return result
    const printed = stdoutHasErrorName ? bytesToLosslessText(result.stdout) : name
    throw toFileError(result.code, result.stderr.toString(), printed)
  }

  /**
   * Runs a command for several paths. If it fails midway, the error says how many paths are `done`,
   * for example `moved`.
   */
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
    throw count === 0
      ? fileError
      : withPartialResult(fileError, `${count} of ${paths.length} ${done}`)
  }

  /**
   * Waits up to `EXIT_GRACE_MS` for a command to exit after its input has ended, then throws
   * `uploadInterrupted`.
   */
  async #within(ended: Promise<void>): Promise<void> {
    const timeout = sleep(EXIT_GRACE_MS, undefined, { ref: false }).then(() => {
      throw uploadInterrupted()
    })
    await Promise.race([ended, timeout])
  }

  /**
   * Waits up to `EXIT_GRACE_MS` for the command to exit. Then kills it, and waits at most the same
   * time again, because the instance may not respond.
   */
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

/**
 * Resolves when the process has stored its input. `clash` resolves to the name that is already
 * taken.
 */
async function taken(
  process: RemoteProcess,
  stderr: Promise<Buffer>,
  clash?: Promise<Buffer>
): Promise<void> {
  const { code } = await translateMachineErrors(() => process.exit)
  if (code === 0) return
  // The instance is stopping, so a signal ended the command. Incus reports that with one of these
  // codes.
  if (code === null || code < 0 || code > 128)
    throw machineErrorToAppError(
      new MachineError('unreachable', `The command ended with code ${code}`)
    )
  throw toFileError(code, (await stderr).toString(), clash && bytesToLosslessText(await clash))
}

/** Returns a name for an unfinished file. Folder listings omit files with such names. */
export function temporaryName(): string {
  return `${TEMPORARY_FILE_PREFIX}${randomBytes(9).toString('hex')}.part`
}

/** Converts an exit code of `file_manager.sh`, or its error output, to an error. */
export function toFileError(code: number | null, stderr: string, name?: string): AppError {
  const message = stderr.replaceAll(/^xargs: .*$/gm, '').trim()
  const known = code === null ? undefined : outcomes[code]
  if (known) return known(name)
  // If a redirection fails, the shell prints the system's message. If the disk accepts only a part of a
  // block, tar prints `Wrote only`.
  if (/no space left|quota exceeded|write error: No space|Wrote only/i.test(message))
    return diskFull()
  if (/permission denied|not permitted|read-only file system/i.test(message))
    return permissionDenied()
  if (/file name too long/i.test(message)) return machineReportedError('the name is too long.')
  if (/no such file or directory/i.test(message)) return fileNotFound()
  if (/subdirectory of itself/i.test(message))
    return machineReportedError('a folder cannot go into itself.')
  return machineReportedError(message)
}

const outcomes: Record<number, (name?: string) => AppError> = {
  20: pathOutsideWebRoot,
  21: fileNotFound,
  22: nameExists,
  24: notAFolder,
  25: notAFile,
  26: changedMeanwhile,
  27: permissionDenied,
  28: () => damagedArchive('This archive contains entries that are neither files nor folders.'),
  29: reservedArchiveNameError,
  30: uploadInterrupted,
  31: noWebRoot,
  32: cannotMoveIntoItself,
  33: linkHasNoMode,
  34: selectedEntryMissing,
  35: tooManyToZip,
  36: offsetMismatch,
  37: uploadLocked,
  38: uploadHashMismatch,
  39: createdMeanwhile,
  40: unpackingLocked,
  41: unpackedFilesMissing,
}

function parts(path: string): [string, string] {
  const { folder, name } = splitPath(path)
  return [folder, name]
}

function nulTerminated(texts: string[]): Buffer {
  return Buffer.concat(texts.flatMap((text) => [losslessTextToBytes(text), NUL_BYTE]))
}

/** Splits texts that end with NUL. Throws if there are more than `limit`. */
function nulTerminatedTexts(bytes: Buffer, limit: number): string[] {
  let count = 0
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, at + 1)) {
    if (++count > limit) unreadable()
  }
  return bytesToLosslessText(bytes).split('\0').slice(0, -1)
}

const unpackedTypes: Record<string, ExistingEntry['unpacked']> = {
  d: 'folder',
  w: 'folder',
  f: 'file',
  l: 'link',
}
const existingTypes: Record<number, ExistingEntry['there']> = {
  0o040000: 'folder',
  0o100000: 'file',
  0o120000: 'link',
}

function parseExistingEntry(record: string): ExistingEntry {
  const [, kind, mode, path] = /^([a-z])([0-9a-f]+) \.\/(.+)$/s.exec(record) ?? unreadable()
  const isWritable = kind !== 'w'
  const type = Number.parseInt(mode, 16) & 0o170000
  const there = isWritable ? (existingTypes[type] ?? 'other') : 'folder'
  return { path, unpacked: unpackedTypes[kind], there, isWritable }
}

function lineOf(path: string): string {
  return toOctalEscapes(path).replaceAll('\n', '\\0012')
}

/** Adds execute permission wherever the mode has read permission. */
export function folderModeFromFileMode(mode: string): string {
  return mode.replaceAll(/[4-7]/g, (digit) => String(Number(digit) | 1))
}

/**
 * Parses a line of attributes. Validates it, because the customer can replace the programs that
 * print it.
 */
function parseAttributes(line: string): FileAttributes {
  const [, size, mtime, mode] = /^(\d+) (-?\d+) ([0-7]{1,4})$/.exec(line.trim()) ?? unreadable()
  return { size: Number(size), mtime: Number(mtime), mode: mode.padStart(4, '0') }
}

function unreadable(): never {
  throw machineReportedError('the server instance sent an answer that cannot be read.')
}

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

function entriesOf(bytes: Buffer): FolderListing {
  const listing: FolderListing = { directories: [], files: [] }
  let at = 0
  const next = () => {
    const end = bytes.indexOf(0, at)
    if (end === -1) unreadable()
    const field = bytes.subarray(at, end)
    at = end + 1
    return field
  }
  while (at < bytes.length) {
    if (listing.directories.length + listing.files.length >= MAX_LISTED_ENTRIES)
      throw folderTooLarge(MAX_LISTED_ENTRIES)
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
