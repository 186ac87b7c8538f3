import { EventEmitter } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { MachineError } from '../errors.js'
import { encodeFrame, onEachFrame, readExitStatus } from '../frames.js'
import type { ExitStatus, Shell, ShellEvents, ShellOptions } from '../types.js'
import { openLocalShell } from './interactive_shell.js'

type Size = Pick<ShellOptions, 'cols' | 'rows'>

const OPEN_FRAME = 'o'
const DATA_FRAME = 'd'
const SIZE_FRAME = 's'
const END_FRAME = 'e'

/**
 * Opens a root shell on this machine for a process that does not run as root. Connects to a Unix socket whose
 * connections `serveShell` handles. The permissions of the socket's folder decide who may connect.
 */
export async function openShellViaSocket(path: string, size: Size): Promise<Shell> {
  const socket = createConnection(path)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (cause) =>
      reject(new MachineError('unreachable', 'This machine offers no terminal', { cause }))
    )
  })
  return new SocketShell(socket, size)
}

class SocketShell extends EventEmitter<ShellEvents> implements Shell {
  readonly exit: Promise<ExitStatus>
  #status: ExitStatus | undefined
  #ended = false

  readonly #socket: Socket

  constructor(socket: Socket, size: Size) {
    super()
    this.#socket = socket

    this.exit = new Promise((resolve) => this.once('close', (status) => resolve(status)))
    onEachFrame(socket, (kind, bytes) => {
      if (kind === DATA_FRAME && !this.#ended) this.emit('data', bytes)
      if (kind === END_FRAME) this.#status = readExitStatus(bytes)
    })
    socket.on('error', () => {})
    socket.once('close', () => this.#finish())
    this.#sendFrame(OPEN_FRAME, size)
  }

  write(data: Buffer | string): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => {
      this.#socket.write(encodeFrame(DATA_FRAME, Buffer.from(data)), () => resolve())
    })
  }

  resize(cols: number, rows: number): void {
    if (!this.#ended) this.#sendFrame(SIZE_FRAME, { cols, rows })
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  setWindow(): void {}

  close(): void {
    if (this.#ended) return
    this.#status = { code: null, signal: null }
    this.#finish()
  }

  #sendFrame(kind: string, value: object): void {
    this.#socket.write(encodeFrame(kind, Buffer.from(JSON.stringify(value))))
  }

  #finish(): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.destroy()
    if (this.#status) return void this.emit('close', this.#status)
    const error = new MachineError('unreachable', 'The connection to the machine was lost')
    this.emit('close', { code: null, signal: null }, error)
  }
}

/** Runs a shell for one client, over its connection. Resolves when the connection has ended. */
export async function serveShell(socket: Socket): Promise<void> {
  let opening: Promise<Shell> | undefined
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  onEachFrame(socket, (kind, bytes) => {
    if (kind === DATA_FRAME)
      return void opening?.then((shell) => shell.write(bytes)).catch(() => {})
    const { cols, rows } = readSize(bytes)
    if (kind === SIZE_FRAME) opening?.then((shell) => shell.resize(cols, rows)).catch(() => {})
    if (kind !== OPEN_FRAME || opening) return
    opening = openLocalShell({ cols, rows, user: 'root' })
    opening.then(
      (shell) => join(shell, socket),
      () => socket.destroy()
    )
  })
  await gone
  await opening?.then(
    (shell) => shell.close(),
    () => {}
  )
}

/** @throws Error if the client sent an invalid size */
function readSize(bytes: Buffer): Size {
  const { cols, rows } = JSON.parse(bytes.toString()) as Record<keyof Size, unknown>
  if (!Number.isInteger(cols) || !Number.isInteger(rows)) throw new Error('No size of a terminal')
  return { cols: Number(cols), rows: Number(rows) }
}

function join(shell: Shell, socket: Socket): void {
  shell.on('data', (data) => {
    if (socket.write(encodeFrame(DATA_FRAME, data))) return
    shell.pause()
    socket.once('drain', () => shell.resume())
  })
  shell.once('close', (status) => {
    socket.end(encodeFrame(END_FRAME, Buffer.from(JSON.stringify(status))))
  })
}
