import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough, pipeline, Writable } from 'node:stream'
import { MachineError } from '../errors.js'
import { runToEnd } from '../run_to_end.js'
import { encodeFrame, onEachFrame, readExitStatus } from '../frames.js'
import type {
  ExecOptions,
  ExecResult,
  ExitStatus,
  Machine,
  RemoteProcess,
  Shell,
  SpawnOptions,
} from '../types.js'
import { DATA_FRAME, END_FRAME, START_FRAME, STDERR_FRAME, type StartRequest } from './protocol.js'
import { writeWithBackpressure } from './serve.js'

/** Placeholder in a program's arguments for the socket path of the only service that the program may use. */
export const SERVICE_SOCKET_PLACEHOLDER = '/run/service'

const MAX_FRAME_BYTES = 1024 ** 2

const NO_SANDBOX_MESSAGE = 'This machine cannot start a sandbox'
/** The launcher closes the connection in both cases, so the message mentions both. */
const NOT_STARTED_MESSAGE = `${NO_SANDBOX_MESSAGE}, or the maximum number of sandboxes is already running. Try again in a minute`

export interface SandboxOptions {
  launchSocket: string
  /** Folder with the services' sockets. Sandboxed programs may open files in it, but not list them. */
  sockets: string
  connect: () => Socket
}

/**
 * Runs programs that parse customers' files. Each program runs as a separate user without groups, privileges and
 * network, and can open only files that all users can open. Memory and the number of processes are limited. Time is
 * limited only by the option `timeout`.
 */
export class SandboxMachine implements Machine {
  readonly #options: SandboxOptions
  readonly #running = new Set<RemoteProcess>()
  #ended = false

  constructor(options: SandboxOptions) {
    this.#options = options
  }

  async exec(argv: string[], options: ExecOptions = {}): Promise<ExecResult> {
    return runToEnd(await this.spawn(argv, options), options)
  }

  async spawn(argv: string[], { env = {}, timeout }: SpawnOptions = {}): Promise<RemoteProcess> {
    if (this.#ended) throw new MachineError('closed', 'The connection to this machine is closed')
    const service = await this.#openService()
    let socket: Socket
    try {
      socket = createConnection(this.#options.launchSocket)
      await once(socket, 'connect')
    } catch (cause) {
      await service.close()
      throw new MachineError('unreachable', NO_SANDBOX_MESSAGE, { cause })
    }
    const process = new SandboxedProcess(socket, {
      argv: argv.map((each) => each.replaceAll(SERVICE_SOCKET_PLACEHOLDER, service.path)),
      env,
      timeoutMs: timeout,
    })
    this.#running.add(process)
    const over = () => {
      this.#running.delete(process)
      service.close().catch(() => {})
    }
    process.exit.then(over, over)
    return process
  }

  shell(): Promise<Shell> {
    return Promise.reject(new MachineError('refused-credentials', 'A sandbox has no terminal'))
  }

  async close(): Promise<void> {
    this.#ended = true
    await Promise.all([...this.#running].map(({ kill }) => kill('SIGKILL')))
  }

  /** Makes the service available to one program, on a socket path that other programs cannot guess. */
  async #openService(): Promise<{ path: string; close(): Promise<void> }> {
    const path = join(this.#options.sockets, randomUUID())
    const open = new Set<Socket>()
    const server = createServer((near) => {
      const far = this.#options.connect()
      open.add(near)
      pipeline(near, far, near, () => {
        open.delete(near)
        far.destroy()
      })
    })
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, 0o666)
    return {
      path,
      async close() {
        for (const socket of open) socket.destroy()
        server.close()
        await rm(path, { force: true })
      },
    }
  }
}

class SandboxedProcess implements RemoteProcess {
  readonly stdin: Writable
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly exit: Promise<ExitStatus>
  readonly #socket: Socket
  #isKilled = false

  constructor(socket: Socket, request: StartRequest) {
    this.#socket = socket
    this.stdin = new Writable({
      write(chunk: Buffer, _encoding, done) {
        for (let at = 0; at < chunk.length; at += MAX_FRAME_BYTES) {
          const isLast = at + MAX_FRAME_BYTES >= chunk.length
          const part = encodeFrame(DATA_FRAME, chunk.subarray(at, at + MAX_FRAME_BYTES))
          socket.write(part, isLast ? (error) => done(error ?? null) : undefined)
        }
        if (chunk.length === 0) done()
      },
      final(done) {
        socket.write(encodeFrame(END_FRAME, Buffer.alloc(0)), (error) => done(error ?? null))
      },
    })
    this.stdin.on('error', () => {})
    // Default status: a sandbox that ends without sending a status was killed, for example by the kernel.
    let isUp = false
    let status: ExitStatus = { code: null, signal: 'SIGKILL' }
    onEachFrame(socket, (kind, bytes) => {
      if (kind === START_FRAME) isUp = true
      if (kind === DATA_FRAME) writeWithBackpressure(this.stdout, bytes, socket)
      if (kind === STDERR_FRAME) writeWithBackpressure(this.stderr, bytes, socket)
      if (kind === END_FRAME) status = readExitStatus(bytes)
    })
    socket.on('error', () => {})
    let isLate = false
    const { timeoutMs } = request
    const timer = timeoutMs
      ? setTimeout(() => {
          isLate = true
          socket.destroy()
        }, timeoutMs)
      : undefined
    this.exit = new Promise((resolve, reject) => {
      socket.once('close', () => {
        clearTimeout(timer)
        this.stdin.destroy()
        this.stdout.end()
        this.stderr.end()
        if (isLate) reject(new MachineError('timeout', `${request.argv[0]} took too long`))
        else if (!isUp && !this.#isKilled)
          reject(new MachineError('unreachable', NOT_STARTED_MESSAGE))
        else resolve(status)
      })
    })
    this.exit.catch(() => {})
    socket.write(encodeFrame(START_FRAME, Buffer.from(JSON.stringify(request))))
  }

  kill = (): Promise<void> => {
    this.#isKilled = true
    this.#socket.destroy()
    return Promise.resolve()
  }
}
