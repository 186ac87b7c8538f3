import type { IncomingMessage, Server } from 'node:http'
import type { Shell } from '#packages/machine/main'

export interface SignedInSession {
  personId: string
  /** Sign-in session, the only one that can resume the terminal. */
  sessionId: string
}

export interface RedeemedTerminalGrant {
  id: string
  personId: string
  machineId: string
  label: string
  open(size: { cols: number; rows: number }): Promise<Shell>
  /** Aborting it ends the terminal. Its reason, a string, is shown to the person. */
  revoked?: AbortSignal
  /** Called before a person resumes the terminal. Aborts `revoked` if they may no longer use it. */
  recheck?(identity: SignedInSession): Promise<void>
  /** Called exactly once, however the session ends. `bytes` is the number of output bytes sent. */
  onClosed(reason: string, bytes: number): void | Promise<void>
}

/** Reason that is shown to the person. */
export interface GrantRejection {
  refused: true
  reason: string
}

/** Durations are milliseconds. */
export interface GatewayOptions {
  allowedOrigins: (origin: string) => boolean
  /** Finds the person at the HTTP upgrade, before everything else. Null responds with 401. */
  authenticate: (request: IncomingMessage) => Promise<SignedInSession | null>
  redeem: (
    grant: string,
    identity: SignedInSession
  ) => Promise<RedeemedTerminalGrant | GrantRejection>
  /** Path of the WebSocket. Default: every path. */
  path?: string
  /**
   * Terminals per person, including those without a browser. Default 20. Pending sockets have the same limit.
   */
  maxPerPerson?: number
  /** Terminals per machine, including those without a browser. Default 50. */
  maxPerMachine?: number
  /**
   * How long a shell can be resumed after its browser disconnected without ending it. Default 30 minutes. 0:
   * not at all.
   */
  keepFor?: number
  /** Bytes of scrollback for all terminals together, default 64 MB. One terminal gets at most 256 KB. */
  maxBacklog?: number
  /**
   * Time without a key press until the terminal closes, default 30 minutes. A warning comes one minute before.
   */
  idleTimeout?: number
  idleWarning?: number
  /** Default 15 seconds. A browser that misses one whole interval is disconnected. */
  pingInterval?: number
  /** Time from the upgrade to the first message. Default 10 seconds. */
  credentialsTimeout?: number
  /** Receives errors of injected functions. They never contain grants or terminal contents. */
  onError?: (error: unknown) => void
}

export interface Gateway {
  /** Listens on its own HTTP server and returns the port. Port 0 picks a free one. */
  listen(port: number, host?: string): Promise<number>
  /** Handles the WebSocket upgrades of an existing HTTP server. */
  attach(server: Server): void
  drain(reason: string): Promise<void>
  /**
   * Rejects new terminals and shows `notice` in open ones. After `timeoutMs` it closes the remaining ones with
   * the reason.
   */
  leave(notice: string, reason: string, timeoutMs: number): Promise<void>
  close(): Promise<void>
  /** Includes terminals without a browser. */
  readonly size: number
}
