import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CliError, type BerthHome } from '../berth_home.js'
import type { ProcessManager } from './process_manager.js'

/**
 * Returns the path of the socket over which `./berth upgrade` makes `./berth up` replace its processes. Only the same
 * user can connect.
 */
const socketOf = ({ path }: BerthHome) => join(path, 'up.sock')

type Call = {
  [Name in keyof ProcessManager]: { call: Name; given: Parameters<ProcessManager[Name]> }
}[keyof ProcessManager]
type Question = Call | { call: 'env'; given: [] }

/**
 * Lets `./berth upgrade` control the processes of this `./berth up`.
 * @returns a function that closes the socket
 */
export async function listenOnUpgradeSocket(
  home: BerthHome,
  processManager: ProcessManager
): Promise<() => Promise<void>> {
  const path = socketOf(home)
  await rm(path, { force: true })
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
    // A client may be killed in the middle of a request. That must not affect the running processes.
    serve(socket, processManager).catch(() => socket.destroy())
  })
  const before = process.umask(0o177)
  server.listen(path)
  process.umask(before)
  await once(server, 'listening')
  await chmod(path, 0o600)
  return () => {
    for (const socket of open) socket.destroy()
    return new Promise((done) => server.close(() => done()))
  }
}

async function serve(socket: Socket, processManager: ProcessManager): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    const { call, given } = JSON.parse(line) as Question
    const answer = await (
      call === 'env'
        ? Promise.resolve(process.env)
        : (processManager[call] as (...all: unknown[]) => Promise<unknown>)(...given)
    ).then(
      (result) => ({ result }),
      (error: Error) => ({ error: error.message })
    )
    socket.write(`${JSON.stringify(answer)}\n`)
  }
}

export async function findUpProcessManager(
  home: BerthHome
): Promise<{ processManager: ProcessManager; env: NodeJS.ProcessEnv; close(): void } | undefined> {
  const path = socketOf(home)
  if (!existsSync(path)) return undefined
  const socket = connect(path)
  const there = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  if (!there) return undefined
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const ask = async <Result>(call: Question['call'], ...args: unknown[]): Promise<Result> => {
    socket.write(`${JSON.stringify({ call, given: args })}\n`)
    const { value, done } = await lines.next()
    if (done) throw new CliError('./berth up has stopped')
    const answer = JSON.parse(value as string) as { result: Result; error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.result
  }
  return {
    processManager: {
      list: () => ask('list'),
      start: (role) => ask('start', role),
      leave: (id) => ask('leave', id),
      end: (id) => ask('end', id),
      words: (id) => ask('words', id),
    },
    env: await ask('env'),
    close: () => socket.destroy(),
  }
}
