import { EventEmitter } from 'node:events'
import type ssh2 from 'ssh2'
import { MachineError } from '../errors.js'
import { PinnedHostKey } from './keys.js'
import { loadSsh2 } from './load_ssh2.js'

export interface SshTarget {
  host: string
  port?: number
  username: string
  /** Private key in OpenSSH or PEM format, without a passphrase. */
  privateKey: string
  /**
   * The machine's host key, which was stored when the machine was registered: base64, a known_hosts pair, or
   * `SHA256:…`.
   */
  hostKey: string
  /** Timeout for connecting and signing in, in milliseconds. Default 10 seconds. */
  timeout?: number
  /** Timeout for opening a session on a connection, in milliseconds. Default 15 seconds. */
  sessionTimeout?: number
}

/**
 * Interval of keep-alive messages. A lost machine is detected after (KEEPALIVE_MISSES + 1) intervals. An open terminal
 * must report the loss within 5 seconds.
 */
const KEEPALIVE_INTERVAL_MS = 1_000
const KEEPALIVE_MISSES = 3

/** A hostile SSH server may never reply to the request for a session. */
const SESSION_TIMEOUT_MS = 15_000

/**
 * Maximum sessions on one connection, including those that send signals. It is below OpenSSH's default limit of 10
 * (MaxSessions).
 */
const MAX_CHANNELS = 8

/**
 * Internal properties of ssh2. When ssh2 opens a channel, it announces a receive window with a constant size. Berth
 * replaces `session` for that moment, to announce another size.
 */
interface ClientInternals {
  _protocol: {
    session(channel: number, window: number, packet: number): void
    channelWindowAdjust(channel: number, amount: number): void
  }
}

interface ChannelInternals {
  incoming: { window: number }
  outgoing: { id: number; state: string }
}

interface LinkEvents {
  lost: [error: MachineError]
}

/** Emits `lost` exactly once, when the connection ends for any reason. */
export class SshConnection extends EventEmitter<LinkEvents> {
  lost: MachineError | null = null
  capacity = MAX_CHANNELS
  open = 0
  idleSince = Date.now()

  readonly #client: ssh2.Client
  readonly #sessionTimeout: number

  private constructor(client: ssh2.Client, sessionTimeout: number) {
    super()
    this.#client = client
    this.#sessionTimeout = sessionTimeout

    this.setMaxListeners(0)
  }

  static connect(target: SshTarget): Promise<SshConnection> {
    const { host, port = 22, timeout = 10_000 } = target
    const name = `${host}:${port}`
    return new Promise((resolve, reject) => {
      const pinned = new PinnedHostKey(target.hostKey)
      const client = new (loadSsh2().Client)()
      let ready = false
      const link = new SshConnection(client, target.sessionTimeout ?? SESSION_TIMEOUT_MS)
      let hostKeyError: MachineError | null = null
      const end = (cause?: Error & { level?: string }) => {
        const error = hostKeyError
          ? hostKeyError
          : ready
            ? new MachineError('unreachable', `The connection to ${name} was lost`, { cause })
            : describe(name, target.username, cause)
        reject(error)
        link.end(error)
      }
      client.on('ready', () => {
        ready = true
        resolve(link)
      })
      client.on('error', end)
      client.on('close', () => end())
      try {
        client.connect({
          host,
          port,
          username: target.username,
          privateKey: target.privateKey,
          readyTimeout: timeout,
          keepaliveInterval: KEEPALIVE_INTERVAL_MS,
          keepaliveCountMax: KEEPALIVE_MISSES,
          authHandler: ['publickey'],
          algorithms: { serverHostKey: pinned.algorithms },
          hostVerifier: (key: Buffer) => {
            const known = pinned.matches(key)
            if (!known) hostKeyError = pinned.mismatchError(name, key)
            return known
          },
        })
      } catch (cause) {
        const message = `The stored key for ${target.username} on ${name} cannot be used`
        reject(new MachineError('refused-credentials', message, { cause }))
      }
      client.setNoDelay(true)
    })
  }

  get free(): boolean {
    return this.lost === null && this.open < this.capacity
  }

  /** Counts one more open channel, until that channel closes or fails to open. */
  reserve(): this {
    this.open++
    return this
  }

  exec(command: string, pty?: ssh2.PseudoTtyOptions, window?: number): Promise<ssh2.ClientChannel> {
    return this.#channel(window, (done) => this.#client.exec(command, pty ? { pty } : {}, done))
  }

  loginShell(pty: ssh2.PseudoTtyOptions, window?: number): Promise<ssh2.ClientChannel> {
    return this.#channel(window, (done) => this.#client.shell(pty, done))
  }

  end(reason: MachineError): void {
    if (this.lost) return
    this.lost = reason
    this.#client.destroy()
    this.emit('lost', reason)
  }

  /**
   * Takes over a channel's receive window from ssh2. The returned function lets the machine send the given number of
   * further bytes.
   */
  ownWindow(channel: ssh2.ClientChannel): (bytes: number) => void {
    const inside = channel as unknown as ChannelInternals
    // ssh2 widens the window when it falls below a threshold. This value is so large that it never does.
    inside.incoming.window = Number.MAX_SAFE_INTEGER
    const { _protocol: protocol } = this.#client as unknown as ClientInternals
    return (bytes) => {
      if (inside.outgoing.state !== 'closed' && !this.lost) {
        protocol.channelWindowAdjust(inside.outgoing.id, bytes)
      }
    }
  }

  #channel(
    window: number | undefined,
    start: (done: (error: Error | undefined, channel: ssh2.ClientChannel) => void) => void
  ): Promise<ssh2.ClientChannel> {
    if (this.lost) return Promise.reject(this.lost)
    const release = () => {
      this.open--
      this.idleSince = Date.now()
    }
    return new Promise((resolve, reject) => {
      const onLost = (error: MachineError) => {
        clearTimeout(timer)
        release()
        reject(error)
      }
      this.once('lost', onLost)
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        this.off('lost', onLost)
        release()
        const message = `The machine did not open a session within ${this.#sessionTimeout} ms`
        reject(new MachineError('timeout', message))
      }, this.#sessionTimeout)
      const opened = (error: Error | undefined, channel: ssh2.ClientChannel) => {
        if (isLate) {
          channel?.on('error', () => {})
          channel?.close()
          return
        }
        clearTimeout(timer)
        this.off('lost', onLost)
        if (error) {
          release()
          return reject(this.lost ?? error)
        }
        channel.once('close', release)
        // A stream error without a listener would end the process.
        channel.on('error', () => {})
        resolve(channel)
      }
      try {
        this.#announcing(window, () => start(opened))
      } catch (cause) {
        // While the connection is closing, ssh2 throws before it emits an event.
        this.end(new MachineError('unreachable', 'The connection was lost', { cause }))
      }
    })
  }

  #announcing(window: number | undefined, open: () => void): void {
    if (window === undefined) return open()
    const { _protocol: protocol } = this.#client as unknown as ClientInternals
    protocol.session = (channel, _window, packet) => {
      Object.getPrototypeOf(protocol).session.call(protocol, channel, window, packet)
    }
    try {
      open()
    } finally {
      Reflect.deleteProperty(protocol, 'session')
    }
  }
}

function describe(name: string, username: string, cause?: Error & { level?: string }) {
  if (cause?.level === 'client-authentication') {
    const message = `${name} does not accept the stored key for ${username}`
    return new MachineError('refused-credentials', message, { cause })
  }
  return new MachineError('unreachable', `${name} cannot be reached`, { cause })
}
