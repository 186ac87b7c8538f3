import { Writable, type Readable } from 'node:stream'
import type ssh2 from 'ssh2'
import { PidFinder, stripPidLine, type WrappedCommand } from '../command.js'
import { MachineError } from '../errors.js'
import { settleWithin } from '../settle_within.js'
import type { ExitStatus, RemoteProcess, SpawnOptions } from '../types.js'
import type { SshConnection } from './connection.js'

type Signal = NonNullable<Parameters<RemoteProcess['kill']>[0]>

const KILL_TIMEOUT_MS = 5_000

/** `signalGroup` sends signals to the command through a second channel. */
export class SshProcess implements RemoteProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Promise<ExitStatus>
  readonly #finder: PidFinder
  #timedOut = false

  readonly #channel: ssh2.ClientChannel
  readonly #signalGroup: (pid: number, signal: Signal) => Promise<void>

  constructor(
    link: SshConnection,
    channel: ssh2.ClientChannel,
    command: WrappedCommand,
    options: SpawnOptions,
    signalGroup: (pid: number, signal: Signal) => Promise<void>
  ) {
    this.#channel = channel
    this.#signalGroup = signalGroup

    this.#finder = new PidFinder(command.marker)
    this.stdout = channel
    this.stderr = stripPidLine(channel.stderr, this.#finder)
    this.stdin = stdinOf(channel, link)
    if (command.preamble.length) this.stdin.write(command.preamble)
    this.exit = this.#watch(link, options.timeout)
    this.exit.catch(() => {})
  }

  async kill(signal: Signal = 'SIGTERM'): Promise<void> {
    if (this.#finder.pid) return this.#signalGroup(this.#finder.pid, signal)
    // Without the process ID, no signal can be sent. The command has usually not started then, so closing is enough.
    this.#channel.close()
  }

  #watch(link: SshConnection, timeout?: number): Promise<ExitStatus> {
    return new Promise((resolve, reject) => {
      const timer = timeout ? setTimeout(() => void expire(), timeout) : undefined
      const late = new MachineError('timeout', `The command took longer than ${timeout} ms`)
      const expire = async () => {
        this.#timedOut = true
        // A hostile SSH server may never open the channel for the signal.
        await settleWithin(this.kill('SIGKILL'), KILL_TIMEOUT_MS)
        this.#channel.close()
        // Reads and drops output that nobody needs, because unread output would prevent the channel from closing.
        this.#channel.resume()
        this.stderr.resume()
        reject(late)
      }
      const onLost = (error: MachineError) => {
        clearTimeout(timer)
        reject(error)
      }
      link.once('lost', onLost)
      // A short command may emit `exit` before this listener is added. `close` comes later, with the same values.
      this.#channel.once('close', (code?: number | null, signal?: string) => {
        clearTimeout(timer)
        link.off('lost', onLost)
        if (link.lost) reject(link.lost)
        else if (!this.#timedOut) resolve({ code: code ?? null, signal: signal ?? null })
      })
    })
  }
}

/**
 * Returns standard input as a stream whose writes always finish. ssh2 itself never calls the callback of a write to a
 * closed channel.
 */
function stdinOf(channel: ssh2.ClientChannel, link: SshConnection): Writable {
  let closed = false
  let pending: ((error?: Error | null) => void) | null = null
  const settle = () => {
    const callback = pending
    pending = null
    callback?.()
  }
  const finish = () => {
    closed = true
    settle()
  }
  channel.once('close', finish)
  link.once('lost', finish)
  channel.once('close', () => link.off('lost', finish))
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      // Ignores writes after the command has ended, because it reads no more input.
      if (closed) return callback()
      pending = callback
      channel.write(chunk, settle)
    },
    final(callback) {
      channel.end()
      callback()
    },
    destroy(error, callback) {
      channel.end()
      callback(error)
    },
  })
  return stdin
}
