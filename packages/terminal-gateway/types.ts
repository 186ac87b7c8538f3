import type { IncomingMessage, Server } from 'node:http'
import type { Shell } from '#packages/machine/main'

export interface SignedInSession {
  personId: string
  /** ID of the sign-in session. Only this session can resume the terminal. */
  sessionId: string
}

export interface RedeemedTerminalGrant {
  id: string
  personId: string
  machineId: string
  label: string
  open(size: { cols: number; rows: number }): Promise<Shell>
  /** Aborting this signal ends the terminal. Its reason, a string, is shown to the person. */
  revoked?: AbortSignal
  /**
   * Called before a person resumes the terminal. It must abort the signal `revoked` if the person may no longer use the
   * machine.
   */
  recheck?(identity: SignedInSession): Promise<void>
  /** Called exactly once when the terminal closes. `bytes`: output bytes that were sent to browsers. */
  onClosed(reason: string, bytes: number): void | Promise<void>
}

export interface GrantRejection {
  refused: true
  reason: string
}

/** Durations are in milliseconds. */
export interface GatewayOptions {
  allowedOrigins: (origin: string) => boolean
  /**
   * Identifies the person by the HTTP request that opens the WebSocket, after the check of the origin. If it returns
   * null, the gateway responds with 401.
   */
  authenticate: (request: IncomingMessage) => Promise<SignedInSession | null>
  redeem: (
    grant: string,
    identity: SignedInSession
  ) => Promise<RedeemedTerminalGrant | GrantRejection>
  /** Default: every path. */
  path?: string
  /**
   * Includes terminals without a browser. Sockets that have not sent their first message have a separate limit of the
   * same size. Default 20.
   */
  maxPerPerson?: number
  /** Includes terminals without a browser. Default 50. */
  maxPerMachine?: number
  /** Time for which a shell can be resumed after its browser disconnected. 0 disables it. Default 30 minutes. */
  keepFor?: number
  /** Maximum bytes of scrollback for all terminals together. One terminal gets at most 256 KB. Default 64 MB. */
  maxBacklog?: number
  /**
   * Time without a key press after which the terminal closes. Default 30 minutes. A warning appears `idleWarning`
   * before, by default one minute.
   */
  idleTimeout?: number
  idleWarning?: number
  /** Interval of pings. A browser that misses a whole interval is disconnected. Default 15 seconds. */
  pingInterval?: number
  /** Time for the browser to send its first message after the connection is open. Default 10 seconds. */
  credentialsTimeout?: number
  /** Called with unexpected errors, for example of the functions in these options. */
  onError?: (error: unknown) => void
}

export interface Gateway {
  /** Listens on a separate HTTP server and returns its port. `port` 0: any free port. */
  listen(port: number, host?: string): Promise<number>
  /** Handles the WebSocket upgrades of an existing HTTP server. */
  attach(server: Server): void
  drain(reason: string): Promise<void>
  /**
   * Rejects new terminals, ends those without a browser, and shows `notice` in the others. After `timeoutMs`, closes
   * the remaining terminals with `reason`.
   */
  leave(notice: string, reason: string, timeoutMs: number): Promise<void>
  close(): Promise<void>
  /** Number of terminals, including those without a browser, and those whose shell is not open yet. */
  readonly size: number
}
