import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type WebSocket from 'ws'
import { IncusError, isIncusError } from './errors.ts'
import { Operation, operationFromPath } from './operation.ts'
import type { Transport } from './transport.ts'
import { websocketStream } from './websocket_stream.ts'

export interface ExecOptions {
  cwd?: string
  env?: Record<string, string>
  /** Numeric user and group IDs inside the instance. Default 0. */
  user?: number
  group?: number
}

export interface ExecStreams {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Resolves to the exit code, or to 128 + n if signal n ended the program. */
  exit: Promise<number>
  kill(signal: number): void
}

export interface ExecResult {
  exitCode: number
  stdout: Buffer
  stderr: Buffer
}

export interface ExecTerminal {
  /** Carries the terminal's output and input. Ends with the program. */
  stream: Duplex
  exit: Promise<number>
  resize(cols: number, rows: number): void
  signal(signal: number): void
  /** Sends SIGHUP to the program and closes the terminal's stream. Sends SIGKILL if it still runs after 5 s. */
  close(): void
}

interface ExecMetadata {
  fds: Record<string, string>
}

const SIGHUP = 1
const SIGKILL = 9

/** How long a program may take to exit after its terminal hung up. */
const HANGUP_TIMEOUT_MS = 5_000

export async function execStreams(
  transport: Transport,
  instance: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<ExecStreams> {
  const { operation, fds } = await start(transport, instance, argv, options, { interactive: false })
  const { control, streams } = await connectAll(transport, operation, fds, ['0', '1', '2'])
  const [input, stdout, stderr] = streams as [Duplex, Duplex, Duplex]
  // Reads from stdin's WebSocket although Incus sends no data on it: without reading, Node would not notice that it
  // closed.
  input.resume()
  return {
    stdin: input,
    stdout,
    stderr,
    exit: exitOf(operation, control),
    kill: (signal) => send(control, { command: 'signal', signal }),
  }
}

/**
 * Runs a program to its end and collects its output. If an error occurs meanwhile, sends SIGKILL to the program.
 * @throws IncusError `timed_out` after `timeout` seconds, `cancelled` after `signal`, `failed` above `maxOutput`
 */
export async function exec(
  transport: Transport,
  instance: string,
  argv: string[],
  options: ExecOptions & {
    stdin?: Buffer | string | Readable
    timeout?: number
    signal?: AbortSignal
    /** Maximum bytes of each output stream. Default 64 MiB. */
    maxOutput?: number
  } = {}
): Promise<ExecResult> {
  const streams = await execStreams(transport, instance, argv, options)
  const limit = options.maxOutput ?? 64 * 1024 * 1024
  const { stdin } = options
  stdinInto(streams.stdin, stdin)
  let stop: (error: IncusError) => void = () => {}
  const stopped = new Promise<never>((_resolve, reject) => (stop = reject))
  const abort = () => stop(new IncusError('cancelled', 0, `${argv[0]} was cancelled`))
  const timer = options.timeout
    ? setTimeout(
        () => stop(IncusError.timedOut(argv[0]!, options.timeout!)),
        options.timeout * 1000
      )
    : null
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  try {
    const work = Promise.all([
      collect(streams.stdout, limit),
      collect(streams.stderr, limit),
      streams.exit,
    ])
    work.catch(() => {})
    const [stdout, stderr, exitCode] = await Promise.race([work, stopped])
    return { exitCode, stdout, stderr }
  } catch (error) {
    streams.kill(SIGKILL)
    for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream.destroy()
    // If the output connections broke because the program did not start, waits for the operation, whose error gives the
    // reason.
    if (isIncusError(error, 'unreachable')) {
      await Promise.race([streams.exit, sleep(HANGUP_TIMEOUT_MS, undefined, { ref: false })])
    }
    throw error
  } finally {
    if (timer) clearTimeout(timer)
    options.signal?.removeEventListener('abort', abort)
  }
}

export async function execInTerminal(
  transport: Transport,
  instance: string,
  argv: string[],
  options: ExecOptions & { cols?: number; rows?: number } = {}
): Promise<ExecTerminal> {
  const { cols = 80, rows = 24 } = options
  const { operation, fds } = await start(transport, instance, argv, options, {
    interactive: true,
    width: cols,
    height: rows,
  })
  const { control, streams } = await connectAll(transport, operation, fds, ['0'])
  const stream = streams[0]!
  const signal = (number: number) => send(control, { command: 'signal', signal: number })
  const exit = exitOf(operation, control)
  return {
    stream,
    exit,
    resize: (width, height) =>
      send(control, {
        command: 'window-resize',
        args: { width: String(width), height: String(height) },
      }),
    signal,
    close: () => {
      signal(SIGHUP)
      stream.destroy()
      // Kills a program that ignores SIGHUP. Otherwise the program and its Incus operation would stay on the host.
      const timer = setTimeout(() => signal(SIGKILL), HANGUP_TIMEOUT_MS).unref()
      void exit.catch(() => {}).then(() => clearTimeout(timer))
    },
  }
}

async function start(
  transport: Transport,
  instance: string,
  argv: string[],
  options: ExecOptions,
  mode: { interactive: boolean; width?: number; height?: number }
): Promise<{ operation: Operation; fds: Record<string, string> }> {
  const { metadata, operation } = await transport.request<{ metadata: ExecMetadata }>(
    'POST',
    `/1.0/instances/${encodeURIComponent(instance)}/exec`,
    {
      json: {
        command: argv,
        environment: options.env ?? {},
        cwd: options.cwd ?? '',
        user: options.user ?? 0,
        group: options.group ?? 0,
        'wait-for-websocket': true,
        ...mode,
      },
    }
  )
  return { operation: operationFromPath(transport, operation), fds: metadata.metadata.fds }
}

interface Connection {
  websocket: WebSocket
  stream: Duplex
}

/**
 * Connects to the `control` WebSocket before the others. If all connect at the same time, Incus sometimes responds with
 * 500.
 */
async function connectAll(
  transport: Transport,
  operation: Operation,
  fds: Record<string, string>,
  names: string[]
): Promise<{ control: WebSocket; streams: Duplex[] }> {
  const opened: Connection[] = []
  const connect = async (name: string): Promise<Connection> => {
    let stream: Duplex | undefined
    const websocket = await transport.websocket(
      `/1.0/operations/${operation.id}/websocket`,
      { secret: fds[name] },
      // Creates the stream immediately, because output may arrive in the same packet as the handshake.
      (fresh) => (stream = websocketStream(fresh, name === '1' || name === '2')),
      // Incus closes the socket when the program ends. A reply to one of its pings would then fail, and Node would drop
      // output that was not read yet.
      { autoPong: false }
    )
    const connection = { websocket, stream: stream! }
    opened.push(connection)
    return connection
  }
  try {
    const control = await connect('control')
    control.stream.resume()
    const others = await Promise.all(names.map(connect))
    return { control: control.websocket, streams: others.map(({ stream }) => stream) }
  } catch (error) {
    for (const { websocket } of opened) websocket.terminate()
    throw error
  }
}

async function exitCode(operation: Operation): Promise<number> {
  const state = await operation.wait(Number.MAX_SAFE_INTEGER / 1e6)
  return Number(state.metadata?.return ?? -1)
}

function exitOf(operation: Operation, control: WebSocket): Promise<number> {
  const exit = exitCode(operation).finally(() => control.terminate())
  exit.catch(() => {})
  return exit
}

function send(control: WebSocket, message: unknown): void {
  if (control.readyState === control.OPEN) control.send(JSON.stringify(message), () => {})
}

function stdinInto(target: Writable, source: Buffer | string | Readable | undefined): void {
  if (source === undefined) target.end()
  else if (typeof source === 'string' || Buffer.isBuffer(source)) target.end(source)
  else source.on('error', () => target.destroy()).pipe(target)
}

async function collect(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new IncusError('failed', 0, `More than ${limit} bytes of output`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
