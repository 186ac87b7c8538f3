import { databaseOperationFailed } from '#databases/errors'
import type { Server } from '#databases/servers/server'
import { AppError } from '#core/app_error'
import { translateMachineErrors } from '#guest/public_effects'
import { freeBytesWithinQuota } from '#instances/public'
import type { RemoteProcess } from '#packages/machine/main'
import env from '#start/env'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readScript } from '#packages/machine/read_script'

const TRANSFER_TIMEOUT_MS = 12 * 3_600_000
const RESERVED_DISK_BYTES = 256 * 1024 ** 2

const STORE_SCRIPT = readScript(import.meta, 'file_store.sh')

/** Folders on the server's machine. Only root can read them; on the console's machine, Berth can too. */
export type StorageFolder = 'imports' | 'backups'

export function storageFolderPath({ instance }: Server, shelf: StorageFolder): string {
  return instance ? `/var/lib/berth/${shelf}` : join(env.get('BERTH_HOME'), 'databases', shelf)
}

export class DatabaseFileStore {
  constructor(
    readonly server: Server,
    readonly shelf: StorageFolder
  ) {}

  newName(ending: string): string {
    return `${randomUUID()}.${ending}`
  }

  /** @throws if `name` is not a plain file name: a slash could lead to any file on the console's machine */
  path(name: string): string {
    if (/\/|^\.|^$/.test(name))
      throw databaseOperationFailed('The file no longer exists on the server.')
    return join(storageFolderPath(this.server, this.shelf), name)
  }

  /** If storing fails, no file remains. `digest` is the file's SHA-256. */
  async put(name: string, content: Readable): Promise<{ bytes: number; digest: string }> {
    const seal = randomUUID().replaceAll('-', '')
    const process = await this.#spawn('put', name, seal)
    const output = collect(process.stdout)
    const errorOutput = collect(process.stderr)
    // The seal shows that the input is complete. Without it, the script removes the file.
    const fed = pipeline(content, process.stdin, { end: false }).then(() => process.stdin.end(seal))
    const ended = translateMachineErrors(() => process.exit).then(async ({ code }) => {
      if (code !== 0) throw toStoreError(code, await errorOutput)
    })
    try {
      await Promise.race([ended, fed.then(() => ended)])
    } catch (error) {
      fed.catch(() => {})
      ended.catch(() => {})
      content.destroy()
      process.stdin.destroy()
      await process.kill().catch(() => {})
      throw error
    }
    const [bytes, digest] = (await output).trim().split('\n')
    return { bytes: Number(bytes), digest: digest.split(' ')[0] }
  }

  /** Returns the file's size before its content, for Content-Length. */
  async get(name: string): Promise<{ bytes: number; body: Readable }> {
    const process = await this.#spawn('get', name)
    process.stdin.on('error', () => {})
    process.stdin.end()
    process.stderr.resume()
    const head = await firstLine(process.stdout)
    if (head === null) throw toStoreError((await process.exit).code, '')
    process.stdout.once('close', () => void process.kill().catch(() => {}))
    return { bytes: Number(head), body: process.stdout }
  }

  async remove(name: string): Promise<void> {
    await this.#run('remove', name)
  }

  async clear(): Promise<void> {
    await this.#run('old', 'x')
  }

  async digest(name: string): Promise<string> {
    return (await this.#run('digest', name)).split(' ')[0]
  }

  async room(): Promise<number> {
    const [blocks, size] = (await this.#run('room', 'x')).trim().split(' ').map(Number)
    const { instance } = this.server
    const free = instance ? freeBytesWithinQuota(instance, blocks * size)! : blocks * size
    return Math.max(0, free - RESERVED_DISK_BYTES)
  }

  /** @throws AppError 507 if there is too little free space */
  async assertRoom(bytes: number): Promise<void> {
    const room = await this.room()
    if (bytes > room) throw noRoom(bytes, room, this.server)
  }

  #spawn(...args: string[]): Promise<RemoteProcess> {
    return translateMachineErrors(() =>
      this.server.machine.spawn(this.#argv(args), {
        ...this.#options(),
        timeout: TRANSFER_TIMEOUT_MS,
      })
    )
  }

  async #run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await translateMachineErrors(() =>
      this.server.machine.exec(this.#argv(args), { ...this.#options(), timeout: 120_000 })
    )
    if (code !== 0) throw toStoreError(code, stderr.toString())
    return stdout.toString()
  }

  #argv([verb, ...rest]: string[]): string[] {
    return [
      'sh',
      '-c',
      STORE_SCRIPT,
      'sh',
      verb,
      storageFolderPath(this.server, this.shelf),
      ...rest,
    ]
  }

  #options() {
    return { cwd: '/', ...(this.server.instance && { user: 'root' as const }) }
  }
}

function noRoom(bytes: number, room: number, { instance }: Server): AppError {
  const megabytes = (count: number) => `${Math.ceil(count / 1024 ** 2)} MB`
  const where = instance ? 'on the disk of the server instance' : 'with the managed server'
  return new AppError(
    'disk_full',
    507,
    `About ${megabytes(bytes)} are needed ${where}, but only ${megabytes(room)} are free. Nothing was changed. Free some space and try again.`
  )
}

function toStoreError(code: number | null, errorOutput: string): AppError {
  if (code === 50 || /no space left|quota exceeded/i.test(errorOutput)) {
    return new AppError(
      'disk_full',
      507,
      'The disk is full. Nothing was changed. Free some space and try again.'
    )
  }
  if (code === 51)
    return new AppError('cut_off', 400, 'The transfer was interrupted. Nothing was changed.')
  if (code === 52) return databaseOperationFailed('The file no longer exists on the server.')
  return databaseOperationFailed('The file could not be stored on the server.', errorOutput)
}

async function collect(stream: Readable): Promise<string> {
  let errorOutput = ''
  for await (const chunk of stream) errorOutput = (errorOutput + String(chunk)).slice(-4_000)
  return errorOutput
}

/** Reads the first line of a stream. Returns null if the stream ends before the line does. */
async function firstLine(stream: Readable): Promise<string | null> {
  let head: Buffer = Buffer.alloc(0)
  for (;;) {
    const chunk = stream.read() as Buffer | null
    if (chunk) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf(10)
      if (end >= 0) {
        stream.unshift(head.subarray(end + 1))
        return head.subarray(0, end).toString()
      }
      continue
    }
    if (stream.readableEnded || stream.destroyed) return null
    const more = await new Promise<boolean>((resolve) => {
      stream.once('readable', () => resolve(true))
      stream.once('end', () => resolve(false))
      stream.once('close', () => resolve(false))
    })
    if (!more) return null
  }
}
