import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type WebSocket from 'ws'
import type { OperationState } from '../operation.ts'
import type { FakeRequest } from './http.ts'
import { FakeError, parseJsonBody } from './http.ts'
import { finishOperation, openOperation, respondWithOperation } from './operations.ts'
import type { FakeProgramCall, FakeProgramResult, FakeState } from './state.ts'

interface ExecBody {
  command: string[]
  environment: Record<string, string>
  cwd: string
  user: number
  interactive: boolean
  width?: number
  height?: number
}

interface Session {
  operation: OperationState
  body: ExecBody
  instance: string
  secrets: Map<string, string>
  sockets: Map<string, WebSocket>
  size: { cols: number; rows: number }
}

const SIGNAL_EXIT_CODE_BASE = 128

/**
 * Simulates programs over the WebSockets of an exec call. Uses the tests' handlers, otherwise built-in programs. An
 * interactive call always gets a simulated terminal.
 */
export class FakePrograms {
  readonly #state: FakeState
  readonly #sessions = new Map<string, Session>()
  readonly #websockets = new WebSocketServer({ noServer: true })

  constructor(state: FakeState) {
    this.#state = state
  }

  start(instance: string, request: FakeRequest, response: ServerResponse): void {
    const body = parseJsonBody<ExecBody>(request)
    if (this.#state.instances.get(instance)?.instance.status !== 'Running') {
      throw new FakeError(400, 'Instance is not running')
    }
    if (instance.includes('fail-exec')) throw new FakeError(500, 'Failed to run the program')
    const names = body.interactive ? ['control', '0'] : ['control', '0', '1', '2']
    const fds = Object.fromEntries(names.map((name) => [name, randomUUID()]))
    const operation = openOperation(this.#state, 'Executing command', { fds }, 'websocket')
    this.#sessions.set(operation.id, {
      operation,
      body,
      instance,
      secrets: new Map(Object.entries(fds).map(([name, secret]) => [secret, name])),
      sockets: new Map(),
      size: { cols: body.width ?? 80, rows: body.height ?? 24 },
    })
    respondWithOperation(response, operation)
  }

  /** Accepts a WebSocket of an exec call. Returns false for another path, an unknown operation or a wrong secret. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const url = new URL(incoming.url ?? '/', 'http://fake')
    const match = /^\/1\.0\/operations\/([^/]+)\/websocket$/.exec(url.pathname)
    const session = match ? this.#sessions.get(match[1]!) : undefined
    const name = session?.secrets.get(url.searchParams.get('secret') ?? '')
    if (!session || !name) return false
    this.#websockets.handleUpgrade(incoming, socket, head, (websocket) => {
      session.sockets.set(name, websocket)
      if (session.sockets.size < session.secrets.size) return
      if (session.body.interactive) this.#runTerminal(session)
      else void this.#runProgram(session)
    })
    return true
  }

  close(): void {
    for (const { sockets } of this.#sessions.values()) {
      for (const socket of sockets.values()) socket.terminate()
    }
  }

  async #runProgram(session: Session): Promise<void> {
    const { body, instance, sockets, operation } = session
    const end = (exitCode: number) =>
      finishOperation(this.#state, operation, { metadata: { return: exitCode } })
    onControl(session, ({ command, signal }) => {
      if (command !== 'signal') return
      for (const name of ['1', '2']) sockets.get(name)!.send('')
      end(SIGNAL_EXIT_CODE_BASE + Number(signal))
    })
    const call: FakeProgramCall = {
      instance,
      argv: body.command,
      env: body.environment ?? {},
      cwd: body.cwd,
      user: body.user,
      stdin: await readAll(sockets.get('0')!),
    }
    const result = await this.#answer(call)
    if (operation.status_code >= 200) return
    if (!result) return
    for (const [name, output] of [
      ['1', result.stdout],
      ['2', result.stderr],
    ] as const) {
      if (output?.length) sockets.get(name)!.send(Buffer.from(output), { binary: true })
      if (result.isCut) sockets.get(name)!.close()
      else sockets.get(name)!.send('')
    }
    end(result.exitCode ?? 0)
  }

  async #answer(call: FakeProgramCall): Promise<FakeProgramResult | null> {
    for (const handler of this.#state.handlers) {
      const result = await handler(call)
      if (result) return result
    }
    return builtIn(call)
  }

  /** Runs a terminal that echoes input and supports `stty size` and `exit N`. */
  #runTerminal(session: Session): void {
    const terminal = session.sockets.get('0')!
    let line = ''
    const end = (exitCode: number) => {
      // As in Incus, the operation ends only when the client has closed this WebSocket.
      terminal.once('close', () =>
        finishOperation(this.#state, session.operation, { metadata: { return: exitCode } })
      )
      terminal.send('')
    }
    onControl(session, ({ command, args, signal }) => {
      if (command === 'window-resize') {
        session.size = { cols: Number(args?.width), rows: Number(args?.height) }
      }
      if (command === 'signal') end(SIGNAL_EXIT_CODE_BASE + Number(signal))
    })
    terminal.on('message', (data: Buffer, binary: boolean) => {
      if (!binary && data.length === 0) return end(0)
      terminal.send(Buffer.from(data.toString().replaceAll('\n', '\r\n')), { binary: true })
      line += data.toString()
      const lines = line.split(/[\r\n]/)
      line = lines.pop() ?? ''
      for (const typed of lines) {
        const exit = /^exit(?: (\d+))?$/.exec(typed.trim())
        if (exit) return end(Number(exit[1] ?? 0))
        if (typed.trim() === 'stty size') {
          terminal.send(Buffer.from(`${session.size.rows} ${session.size.cols}\r\n`), {
            binary: true,
          })
        }
      }
    })
  }
}

interface ControlMessage {
  command: string
  signal?: number
  args?: Record<string, string>
}

function onControl(session: Session, handle: (message: ControlMessage) => void): void {
  session.sockets.get('control')!.on('message', (data: Buffer) => {
    handle(JSON.parse(data.toString()) as ControlMessage)
  })
}

function readAll(websocket: WebSocket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const done = () => resolve(Buffer.concat(chunks))
    websocket.on('message', (data: Buffer, binary: boolean) => {
      if (!binary && data.length === 0) done()
      else chunks.push(data)
    })
    websocket.on('close', done)
  })
}

/** Returns null for a program that never ends. */
function builtIn({ argv, env, cwd, stdin }: FakeProgramCall): FakeProgramResult | null {
  const [program, ...args] = argv
  switch (program?.split('/').pop()) {
    case 'true':
      return {}
    case 'false':
      return { exitCode: 1 }
    case 'echo':
      return { stdout: `${args.join(' ')}\n` }
    case 'printf':
      return { stdout: args.join('') }
    case 'cat':
      return { stdout: stdin }
    case 'pwd':
      return { stdout: `${cwd || '/root'}\n` }
    case 'printenv':
      return args[0]! in env ? { stdout: `${env[args[0]!]}\n` } : { exitCode: 1 }
    case 'sleep':
      return null
    case 'sh':
      return args[0] === '-c' ? script(args[1] ?? '') : {}
    default:
      return { exitCode: 127, stderr: `${program}: not found\n` }
  }
}

/** Runs `echo TEXT`, `echo TEXT >&2` and `exit N`, separated by semicolons. */
function script(text: string): FakeProgramResult {
  const result = { stdout: '', stderr: '', exitCode: 0 }
  for (const command of text.split(';').map((part) => part.trim())) {
    const echo = /^echo (.*?)( >&2)?$/.exec(command)
    if (echo) result[echo[2] ? 'stderr' : 'stdout'] += `${echo[1]}\n`
    const exit = /^exit (\d+)$/.exec(command)
    if (exit) return { ...result, exitCode: Number(exit[1]) }
  }
  return result
}
