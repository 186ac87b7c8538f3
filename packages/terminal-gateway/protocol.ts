/**
 * What travels between a browser's terminal and the gateway. The browser sends JSON text frames.
 * The gateway sends terminal output as binary frames of raw bytes and everything else as JSON
 * text frames. This file has no imports, so that pages can use it.
 */

/** First message. Everything but the size and the grant is ignored: the grant decides. */
export interface CredentialsMessage {
  type: 'credentials'
  instance_type: string
  host: string
  user: string
  port?: number
  commands: string[] | string
  cols: number
  rows: number
  /** The single-use grant, for a shared instance. */
  system_id?: string
  /** The single-use grant, for a regular instance or a host. */
  privateKey?: string
}

/**
 * First message instead of credentials: takes up the terminal that the gateway kept. It counts for the
 * same person in the same session only. While this is decided, the browser sends nothing.
 */
export interface ResumeMessage {
  type: 'resume'
  /** The one that came with `ready`. */
  token: string
  cols: number
  rows: number
}

/** Keystrokes and pasted text. */
export interface InputMessage {
  type: 'message'
  data: string
}

export interface ResizeMessage {
  type: 'resize'
  cols: number
  rows: number
}

/** How many bytes of output have been drawn since the last acknowledgement. */
export interface AckMessage {
  type: 'ack'
  bytes: number
}

/** The person closes the terminal: its shell ends at once, where one that is only left is kept. */
export interface EndMessage {
  type: 'end'
}

export type ClientMessage =
  CredentialsMessage | ResumeMessage | InputMessage | ResizeMessage | AckMessage | EndMessage

/**
 * The shell runs; `label` names the machine. After `resumed` the next binary frame is what the screen
 * showed: it is drawn, but nothing in it is answered.
 */
export interface ReadyMessage {
  type: 'ready'
  label: string
  /** Takes this terminal up again; the one before it stops counting as soon as the browser answers. */
  token: string
  resumed: boolean
}

export interface WarningMessage {
  type: 'warning'
  text: string
}

/** Last message; the socket closes right after it. */
export interface ClosedMessage {
  type: 'closed'
  reason: string
}

export type ServerMessage = ReadyMessage | WarningMessage | ClosedMessage

/** Output the gateway sends before the browser acknowledges some of it, in bytes: at first … */
export const INITIAL_CREDIT_BYTES = 256 * 1024
/** … and to a browser that has shown to be fast. */
export const MAX_CREDIT_BYTES = 512 * 1024
/** A browser acknowledges whenever it has drawn this much, and whenever it has drawn everything. */
export const ACK_INTERVAL_BYTES = 16 * 1024
/** Largest frame the gateway accepts, in bytes; longer pastes are sent in several messages. */
export const MAX_FRAME_BYTES = 64 * 1024
/** Largest `data` that surely fits in one frame when written as JSON, in UTF-16 units. */
export const MAX_DATA_LENGTH = 8 * 1024
export const MIN_COLS = 2
export const MAX_COLS = 1000
export const MIN_ROWS = 1
export const MAX_ROWS = 500

/** WebSocket close codes (4000-4999 are for applications). */
export const CLOSE_CODE_ENDED = 1000
export const CLOSE_CODE_GATEWAY_STOPPING = 1001
export const CLOSE_CODE_BAD_FRAME = 4400
export const CLOSE_CODE_REJECTED = 4403
export const CLOSE_CODE_IDLE = 4408
/** Another window took the terminal up. */
export const CLOSE_CODE_TAKEN_OVER = 4409
/** There is nothing to take up for this token. */
export const CLOSE_CODE_NOTHING_TO_RESUME = 4410
export const CLOSE_CODE_TOO_MANY_TERMINALS = 4429
export const CLOSE_CODE_MACHINE_LOST = 4502
