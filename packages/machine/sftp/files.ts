import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FileError } from '../errors.js'
import type { ExecResult, FileEntry, Files, FileStat } from '../types.js'
import { StatusError, type SftpClient } from './client.js'
import { SftpReadStream, SftpWriteStream, type OpenFile } from './streams.js'
import {
  attributes,
  openFlag,
  packet,
  status,
  string,
  uint32,
  type Attributes,
  type Reader,
} from './wire.js'

const READDIRS_IN_FLIGHT = 4
const READLINKS_IN_FLIGHT = 16
const DEFAULT_LIMIT = 16 * 1024 * 1024

/** What Files needs of the machine it belongs to. */
export interface FilesMachine {
  /** A session that is open; made anew when the last one was lost. */
  sftp(): Promise<SftpClient>
  exec(argv: string[]): Promise<ExecResult>
}

/** Files of a machine over SFTP. */
export class SftpFiles implements Files {
  constructor(private readonly machine: FilesMachine) {}

  async list(path: string): Promise<FileEntry[]> {
    const client = await this.machine.sftp()
    const directory = await this.open(client, path, packet.opendir, [string(checked(path))])
    const entries: FileEntry[] = []
    try {
      await Promise.all(
        Array.from({ length: READDIRS_IN_FLIGHT }, () => readNames(client, directory, entries))
      )
    } catch (error) {
      throw await explain(client, path, error)
    } finally {
      await directory.close().catch(() => {})
    }
    await this.readTargets(path, entries)
    return entries
  }

  stat(path: string): Promise<FileStat> {
    return this.ask(path, packet.stat, (body) => body.attributes())
  }

  lstat(path: string): Promise<FileStat> {
    return this.ask(path, packet.lstat, (body) => body.attributes())
  }

  realpath(path: string): Promise<string> {
    return this.ask(path, packet.realpath, firstName)
  }

  readlink(path: string): Promise<string> {
    return this.ask(path, packet.readlink, firstName)
  }

  readStream(path: string, range: { start?: number; end?: number } = {}): Readable {
    const open = async () => {
      const client = await this.machine.sftp()
      return this.openFile(client, path, openFlag.read, {})
    }
    return new SftpReadStream(open, range.start ?? 0, range.end ?? Number.MAX_SAFE_INTEGER)
  }

  writeStream(path: string, options: { mode?: number; flush?: boolean } = {}): Writable {
    const flags = openFlag.write | openFlag.create | openFlag.truncate
    return this.writeTo(path, flags, { mode: options.mode }, options.flush ?? true)
  }

  async readFile(path: string, options: { limit?: number } = {}): Promise<Buffer> {
    const limit = options.limit ?? DEFAULT_LIMIT
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.readStream(path, { end: limit })) {
      chunks.push(chunk)
      size += chunk.length
    }
    if (size > limit) {
      throw new FileError('too-large', path, `${path} is larger than ${limit} bytes`)
    }
    return Buffer.concat(chunks)
  }

  async writeFile(
    path: string,
    content: string | Buffer | Readable,
    options: { mode?: number } = {}
  ): Promise<void> {
    const temporary = posix.join(
      posix.dirname(checked(path)),
      `.berth-${randomBytes(9).toString('hex')}.part`
    )
    const old = await this.lstat(path).catch(() => null)
    const kept = old?.kind === 'file' ? old : null
    const flags = openFlag.write | openFlag.create | openFlag.exclusive
    const wanted = { mode: options.mode ?? kept?.mode, owner: kept ?? undefined }
    try {
      const source = content instanceof Readable ? content : Readable.from(pieces(content))
      await pipeline(source, this.writeTo(temporary, flags, wanted, true))
      await this.rename(temporary, path)
    } catch (error) {
      await this.remove(temporary).catch(() => {})
      if (error instanceof FileError && error.path === temporary) {
        throw new FileError(error.kind, path, error.message.replaceAll(temporary, path), {
          cause: error,
        })
      }
      throw error
    }
  }

  async mkdir(path: string, options: { mode?: number; recursive?: boolean } = {}): Promise<void> {
    const fields = [string(checked(path)), attributes({ mode: options.mode })]
    const client = await this.machine.sftp()
    try {
      await client.request(packet.mkdir, fields)
    } catch (error) {
      const there = await this.stat(path).catch(() => null)
      if (there && options.recursive && there.kind === 'directory') return
      if (there) throw new FileError('exists', path, `${path} exists already`)
      const parent = posix.dirname(path)
      const missing = error instanceof StatusError && error.code === status.noSuchFile
      if (!options.recursive || !missing || parent === path) {
        throw await explain(client, path, error)
      }
      await this.mkdir(parent, { recursive: true })
      await this.mkdir(path, options)
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const client = await this.machine.sftp()
    const fields = [string(checked(from)), string(checked(to))]
    try {
      if (client.extensions.has('posix-rename@openssh.com')) {
        await client.extended('posix-rename@openssh.com', fields)
        return
      }
      await client.request(packet.rename, fields).catch(async (error) => {
        // Plain SFTP refuses to replace; without the extension there is no single step.
        const there = await this.lstat(to).catch(() => null)
        if (!there || there.kind === 'directory') throw error
        await this.remove(to)
        await client.request(packet.rename, fields)
      })
    } catch (error) {
      throw await explain(client, from, error)
    }
  }

  async remove(path: string): Promise<void> {
    const { kind } = await this.lstat(path)
    const client = await this.machine.sftp()
    const request = kind === 'directory' ? packet.rmdir : packet.remove
    try {
      await client.request(request, [string(checked(path))])
    } catch (error) {
      throw await explain(client, path, error)
    }
  }

  async removeTree(path: string): Promise<void> {
    // rm walks by directory handles, so nobody can swap a folder for a link half-way.
    const { code, stderr } = await this.machine.exec(['rm', '-rf', '--', checked(path)])
    if (code === 0) return
    const words = stderr.toString().trim()
    const kind = /denied|not permitted/i.test(words) ? 'denied' : 'failed'
    throw new FileError(kind, path, words || `${path} could not be removed`)
  }

  async symlink(target: string, path: string): Promise<void> {
    const client = await this.machine.sftp()
    try {
      // OpenSSH, and everybody after it, takes these two the other way round than the draft.
      await client.request(packet.symlink, [string(checked(target)), string(checked(path))])
    } catch (error) {
      const there = await this.lstat(path).catch(() => null)
      if (there) throw new FileError('exists', path, `${path} exists already`)
      throw await explain(client, path, error)
    }
  }

  async chmod(path: string, mode: number): Promise<void> {
    const client = await this.machine.sftp()
    try {
      await client.request(packet.setstat, [string(checked(path)), attributes({ mode })])
    } catch (error) {
      throw await explain(client, path, error)
    }
  }

  private async ask<T>(path: string, type: number, read: (body: Reader) => T): Promise<T> {
    const client = await this.machine.sftp()
    try {
      const { body } = await client.request(type, [string(checked(path))])
      return read(body)
    } catch (error) {
      throw await explain(client, path, error)
    }
  }

  private async open(client: SftpClient, path: string, type: number, fields: Buffer[]) {
    try {
      const { body } = await client.request(type, fields)
      const handle = Buffer.from(body.string())
      client.openHandles++
      const file: OpenFile = {
        client,
        handle,
        explain: (error) => explain(client, path, error),
        close: async () => {
          client.openHandles--
          await client.request(packet.close, [string(handle)])
        },
      }
      return file
    } catch (error) {
      throw await explain(client, path, error)
    }
  }

  private openFile(client: SftpClient, path: string, flags: number, wanted: Attributes) {
    const fields = [string(checked(path)), uint32(flags), attributes({ mode: wanted.mode })]
    return this.open(client, path, packet.open, fields)
  }

  private writeTo(path: string, flags: number, wanted: Attributes, flush: boolean): Writable {
    const open = async () => {
      const client = await this.machine.sftp()
      return this.openFile(client, path, flags, wanted)
    }
    return new SftpWriteStream(open, async ({ client, handle }) => {
      const change = (values: Attributes) =>
        client.request(packet.fsetstat, [string(handle), attributes(values)])
      // Only root may give files away; others own what they replace from now on.
      if (wanted.owner) await change({ owner: wanted.owner }).catch(() => {})
      if (wanted.mode !== undefined) await change({ mode: wanted.mode })
      if (flush && client.extensions.has('fsync@openssh.com')) {
        await client.extended('fsync@openssh.com', [string(handle)])
      }
    })
  }

  private async readTargets(path: string, entries: FileEntry[]): Promise<void> {
    const links = entries.filter(({ kind }) => kind === 'symlink').values()
    const readNext = async () => {
      for (const link of links) {
        // It may be gone by now, which is no reason to fail the whole list.
        link.target = await this.readlink(posix.join(path, link.name)).catch(() => undefined)
      }
    }
    await Promise.all(Array.from({ length: READLINKS_IN_FLIGHT }, readNext))
  }
}

async function readNames(client: SftpClient, directory: OpenFile, into: FileEntry[]) {
  try {
    for (;;) {
      const { body } = await client.request(packet.readdir, [string(directory.handle)])
      const count = body.uint32()
      if (count === 0) return
      for (let left = count; left > 0; left--) {
        const name = body.string().toString()
        body.string()
        const stat = body.attributes()
        if (name !== '.' && name !== '..') into.push({ name, ...stat })
      }
    }
  } catch (error) {
    if (!(error instanceof StatusError && error.code === status.eof)) throw error
  }
}

function firstName(body: Reader): string {
  body.uint32()
  return body.string().toString()
}

function* pieces(content: string | Buffer) {
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += 64 * 1024) {
    yield bytes.subarray(start, start + 64 * 1024)
  }
}

function checked(path: string): string {
  if (path === '' || path.includes('\0')) {
    throw new FileError('failed', path, 'A path cannot be empty or contain a NUL byte')
  }
  return path
}

/** SFTP 3 has one status for everything but three errors; the rest is told apart here. */
async function explain(client: SftpClient, path: string, error: unknown): Promise<Error> {
  if (!(error instanceof StatusError)) {
    return error instanceof Error ? error : new Error(String(error))
  }
  const cause = { cause: error }
  if (error.code === status.noSuchFile) {
    return new FileError('not-found', path, `${path} does not exist`, cause)
  }
  if (error.code === status.permissionDenied) {
    return new FileError('denied', path, `${path}: permission denied`, cause)
  }
  if (error.code === status.unsupported) {
    return new FileError('unsupported', path, `${path}: the machine cannot do this`, cause)
  }
  if (/no space|quota/i.test(error.message) || (await isFull(client, path))) {
    return new FileError('no-space', path, `${path}: the disk of the machine is full`, cause)
  }
  return new FileError('failed', path, `${path}: ${error.message}`, cause)
}

async function isFull(client: SftpClient, path: string): Promise<boolean> {
  if (!client.extensions.has('statvfs@openssh.com')) return false
  try {
    const { body } = await client.extended('statvfs@openssh.com', [string(posix.dirname(path))])
    const [, , blocks, , available] = Array.from({ length: 5 }, () => body.uint64())
    return blocks > 0 && available === 0
  } catch {
    return false
  }
}
