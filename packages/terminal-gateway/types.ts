import type { IncomingMessage, Server } from 'node:http'
import type { Shell } from '#packages/machine/main'

/** The person who opened the socket, as the application identified them. */
export interface Identity {
  personId: string
  /** Their sign-in session. A terminal can be resumed only in the same session. */
  sessionId: string
}

/** The access that a redeemed grant gives: one shell on one machine. */
export interface RedeemedTerminalGrant {
  id: string
  personId: string
  machineId: string
  /** Shown to the person, for example the instance's name. */
  label: string
  open(size: { cols: number; rows: number }): Promise<Shell>
  /** Aborting it ends the terminal; its reason, a string, is shown to the person. */
  revoked?: AbortSignal
  /** Checks whether this person may still use the terminal before they resume it; aborts `revoked` if not. */
  recheck?(identity: Identity): Promise<void>
  /** Called exactly once, however the session ends. `bytes` is the number of output bytes sent. */
  onClosed(reason: string, bytes: number): void | Promise<void>
}

/** The rejection of a grant; `reason` is shown to the person. */
export interface GrantRejection {
  refused: true
  reason: string
}

/** Options of the gateway. Durations are milliseconds. */
export interface GatewayOptions {
  allowedOrigins: (origin: string) => boolean
  /** Runs first, at the HTTP upgrade. Null responds with 401. */
  authenticate: (request: IncomingMessage) => Promise<Identity | null>
  redeem: (grant: string, identity: Identity) => Promise<RedeemedTerminalGrant | GrantRejection>
  /** Path that the gateway serves; every path by default. */
  path?: string
  /**
   * Maximum number of terminals per person, including those without a browser; default 20. Pending sockets
   * have the same limit.
   */
  maxPerPerson?: number
  /** Maximum number of terminals per machine, including those without a browser; default 50. */
  maxPerMachine?: number
  /**
   * How long a shell is kept for resuming after its browser disconnected without ending it. Default 30
   * minutes; 0 keeps none.
   */
  keepFor?: number
  /** Bytes of scrollback for all terminals together, default 64 MB. One terminal gets at most 256 KB. */
  maxBacklog?: number
  /**
   * Time without a key press until the terminal closes, default 30 minutes. A warning comes one minute
   * before.
   */
  idleTimeout?: number
  idleWarning?: number
  /** Time between pings, default 15 seconds. A browser that misses one whole interval is disconnected. */
  pingInterval?: number
  /** Time from the upgrade to the first message, default 10 seconds. */
  credentialsTimeout?: number
  /** Receives errors of injected functions; never contains grants or terminal contents. */
  onError?: (error: unknown) => void
}

export interface Gateway {
  /** Listens on its own HTTP server and returns the port; port 0 picks a free one. */
  listen(port: number, host?: string): Promise<number>
  /** Handles the WebSocket upgrades of an existing HTTP server. */
  attach(server: Server): void
  /** Rejects new terminals, sends the reason to open ones and closes their shells. */
  drain(reason: string): Promise<void>
  /**
   * Rejects new terminals and shows `notice` in open ones. After `timeoutMs` (ms) it closes the remaining
   * ones with the reason.
   */
  leave(notice: string, reason: string, timeoutMs: number): Promise<void>
  close(): Promise<void>
  /** The number of terminals, including those without a browser. */
  readonly size: number
}
