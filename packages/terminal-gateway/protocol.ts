/**
 * The protocol between a browser's terminal and the gateway. Binary frames carry raw terminal output from the gateway.
 * All other frames, in both directions, are JSON text. This file has no imports, so that code in browsers can import
 * it.
 */

/** The first message. The gateway uses only its size and its grant. The grant determines the machine. */
export interface CredentialsMessage {
  type: 'credentials'
  instance_type: string
  host: string
  user: string
  port?: number
  commands: string[] | string
  cols: number
  rows: number
  /** The single-use grant for a shared instance. */
  system_id?: string
  /**
   * The single-use grant for a regular instance or a host. It is not a private key: the field has this name because an
   * existing protocol requires it.
   */
  privateKey?: string
}

/**
 * Sent instead of the credentials to resume a terminal in the same sign-in session. The browser sends nothing else
 * until the gateway replies.
 */
export interface ResumeMessage {
  type: 'resume'
  /** From the last `ready` message that the browser received. */
  token: string
  cols: number
  rows: number
}

export interface InputMessage {
  type: 'message'
  data: string
}

export interface ResizeMessage {
  type: 'resize'
  cols: number
  rows: number
}

/** Acknowledges the output bytes that were drawn since the last acknowledgement. */
export interface AckMessage {
  type: 'ack'
  bytes: number
}

/**
 * Closes the terminal and its shell immediately. If the browser disconnects without this message, the gateway keeps the
 * shell running.
 */
export interface EndMessage {
  type: 'end'
}

export type ClientMessage =
  | CredentialsMessage
  | ResumeMessage
  | InputMessage
  | ResizeMessage
  | AckMessage
  | EndMessage

/**
 * Sent as soon as the shell is running. `label` names the machine. If `resumed` is true, the next binary frame contains
 * the earlier screen. The browser draws this frame, but must not reply to control sequences in it.
 */
export interface ReadyMessage {
  type: 'ready'
  label: string
  /**
   * Token with which the browser can resume this terminal. The previous token becomes invalid with the browser's next
   * message.
   */
  token: string
  resumed: boolean
}

export interface WarningMessage {
  type: 'warning'
  text: string
}

/** The last message before the socket closes. */
export interface ClosedMessage {
  type: 'closed'
  reason: string
}

export type ServerMessage = ReadyMessage | WarningMessage | ClosedMessage

/** Number of bytes that the gateway initially sends without waiting for the browser's acknowledgements. */
export const INITIAL_CREDIT_BYTES = 256 * 1024
export const MAX_CREDIT_BYTES = 512 * 1024
/**
 * Number of drawn bytes after which a browser sends an acknowledgement. It also sends one when it has drawn all
 * received output.
 */
export const ACK_INTERVAL_BYTES = 16 * 1024
/** Largest frame that the gateway accepts. Longer pastes are sent in several messages. */
export const MAX_FRAME_BYTES = 64 * 1024
/** Maximum length of `data` in UTF-16 units, so that a message with it always fits in one frame. */
export const MAX_DATA_LENGTH = 8 * 1024
export const MIN_COLS = 2
export const MAX_COLS = 1000
export const MIN_ROWS = 1
export const MAX_ROWS = 500

/** WebSocket close codes. Codes 4000 to 4999 are for applications. */
export const CLOSE_CODE_ENDED = 1000
export const CLOSE_CODE_GATEWAY_STOPPING = 1001
export const CLOSE_CODE_BAD_FRAME = 4400
export const CLOSE_CODE_REJECTED = 4403
export const CLOSE_CODE_IDLE = 4408
export const CLOSE_CODE_TAKEN_OVER = 4409
export const CLOSE_CODE_NOTHING_TO_RESUME = 4410
export const CLOSE_CODE_TOO_MANY_TERMINALS = 4429
export const CLOSE_CODE_MACHINE_LOST = 4502
