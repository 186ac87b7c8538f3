import type { IncomingMessage, Server } from 'node:http'
import type { Shell } from '#packages/machine/main'

/** Who opened the socket, as the application knows them. */
export interface Identity {
  personId: string
  /** Their sign-in: a terminal is taken up again in the same one only. */
  sessionId: string
}

/** What a redeemed grant allows: one shell on one machine. */
export interface RedeemedTerminalGrant {
  id: string
  personId: string
  machineId: string
  /** Shown to the person, for example the instance's name. */
  label: string
  open(size: { cols: number; rows: number }): Promise<Shell>
  /** Ends the terminal when it is aborted; its reason, a string, is shown to the person. */
  revoked?: AbortSignal
  /** Looks again, before this person takes the terminal up, whether they may; aborts `revoked` if not. */
  recheck?(identity: Identity): Promise<void>
  /** Called exactly once, however the session ends. `bytes` is the output sent. */
  onClosed(reason: string, bytes: number): void | Promise<void>
}

/** Why a grant does not count; `reason` is shown to the person. */
export interface GrantRejection {
  refused: true
  reason: string
}

/** Durations are milliseconds. */
export interface GatewayOptions {
  allowedOrigins: (origin: string) => boolean
  /** At the HTTP upgrade, before anything else. Null is answered with 401. */
  authenticate: (request: IncomingMessage) => Promise<Identity | null>
  redeem: (grant: string, identity: Identity) => Promise<RedeemedTerminalGrant | GrantRejection>
  /** Path the gateway answers on; every path by default. */
  path?: string
  /** Open and kept terminals of one person; 20 by default. As many sockets may be about to become one. */
  maxPerPerson?: number
  /** Open and kept terminals on one machine; 50 by default. */
  maxPerMachine?: number
  /**
   * How long a shell is kept whose browser went away without ending it, to be taken up again; 30 minutes
   * by default, 0 keeps none.
   */
  keepFor?: number
  /** Bytes of output that are remembered of all terminals together; 64 MB by default, 256 KB of one at most. */
  maxBacklog?: number
  /** Without a key pressed; 30 minutes by default. A warning comes a minute before. */
  idleTimeout?: number
  idleWarning?: number
  /** Between pings; a browser that misses one whole turn is dropped. 15 seconds by default. */
  pingInterval?: number
  /** From the upgrade to the first message; 10 seconds by default. */
  credentialsTimeout?: number
  /** Faults of injected functions; never carries grants or terminal contents. */
  onError?: (error: unknown) => void
}

export interface Gateway {
  /** Serves on an HTTP server of its own; port 0 picks a free one. Returns the port. */
  listen(port: number, host?: string): Promise<number>
  /** Answers the upgrades of an existing HTTP server. */
  attach(server: Server): void
  /** Refuses new terminals, tells open ones the reason, closes their shells. */
  drain(reason: string): Promise<void>
  /**
   * Refuses new terminals, warns open ones with a notice and closes those that are still there after `timeoutMs` (ms),
   * with the reason.
   */
  leave(notice: string, reason: string, timeoutMs: number): Promise<void>
  close(): Promise<void>
  /** Open and kept terminals. */
  readonly size: number
}
