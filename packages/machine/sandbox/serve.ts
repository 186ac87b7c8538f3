import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { encodeFrame, onEachFrame } from '../frames.js'
import type { ExitStatus } from '../types.js'
import { DATA_FRAME, END_FRAME, START_FRAME, STDERR_FRAME, type StartRequest } from './protocol.js'

/**
 * Runs one program inside a sandbox. Closes the connection when the program ends. When the connection has closed, kills
 * the program's process group, then resolves.
 */
export async function serveSandboxConnection(socket: Socket): Promise<void> {
  let child: ChildProcess | undefined
  socket.on('error', () => {})
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  onEachFrame(socket, (kind, bytes) => {
    if (kind === START_FRAME && !child) {
      socket.write(encodeFrame(START_FRAME, Buffer.alloc(0)))
      child = start(JSON.parse(bytes.toString()) as StartRequest, socket)
    } else if (kind === DATA_FRAME && child) writeWithBackpressure(child.stdin!, bytes, socket)
    else if (kind === END_FRAME) child?.stdin?.end()
  })
  await over
  if (child) endGroup(child)
}

function start({ argv, env, timeoutMs }: StartRequest, socket: Socket): ChildProcess {
  const [program, ...rest] = argv
  const child = spawn(program, rest, {
    cwd: '/',
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
    detached: true,
    stdio: 'pipe',
  })
  const end = (status: ExitStatus) =>
    socket.end(encodeFrame(END_FRAME, Buffer.from(JSON.stringify(status))))
  const timer = timeoutMs ? setTimeout(() => endGroup(child), timeoutMs) : undefined
  child.stdin.on('error', () => {})
  child.stdout.on('data', (chunk: Buffer) => forward(DATA_FRAME, chunk))
  child.stderr.on('data', (chunk: Buffer) => forward(STDERR_FRAME, chunk))
  child.once('error', (error) => {
    forward(STDERR_FRAME, Buffer.from(error.message))
    end({ code: 127, signal: null })
  })
  child.once('close', (code, signal) => {
    clearTimeout(timer)
    if (!socket.writableEnded) end({ code, signal })
  })
  return child

  function forward(kind: string, chunk: Buffer): void {
    if (!socket.writable || socket.write(encodeFrame(kind, chunk))) return
    child.stdout.pause()
    child.stderr.pause()
    socket.once('drain', () => {
      child.stdout.resume()
      child.stderr.resume()
    })
  }
}

/** While the stream's buffer is full, pauses the socket from which the bytes come. */
export function writeWithBackpressure(into: Writable, bytes: Buffer, socket: Socket): void {
  if (!into.writable || into.write(bytes)) return
  socket.pause()
  const goOn = () => {
    into.off('drain', goOn).off('close', goOn)
    socket.resume()
  }
  into.on('drain', goOn).on('close', goOn)
}

function endGroup({ pid }: ChildProcess): void {
  if (!pid) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}
