import {
  MAX_COLS,
  MAX_FRAME_BYTES,
  MAX_ROWS,
  MIN_COLS,
  MIN_ROWS,
  type AckMessage,
  type InputMessage,
  type EndMessage,
  type ResizeMessage,
  type ResumeMessage,
} from './protocol.js'

/**
 * The fields of the first message that the gateway uses. It ignores all other fields, because the browser could forge
 * them.
 */
export interface ParsedCredentialsMessage {
  type: 'credentials'
  grant: string
  cols: number
  rows: number
}

/** A frame is invalid. The error's message is shown to the person. */
export class BadFrameError extends Error {}

const MAX_GRANT_LENGTH = 4096

/** @throws BadFrameError */
export function readFrame(
  bytes: Buffer,
  binary: boolean
):
  | ParsedCredentialsMessage
  | ResumeMessage
  | InputMessage
  | ResizeMessage
  | AckMessage
  | EndMessage {
  if (bytes.length > MAX_FRAME_BYTES) {
    throw new BadFrameError(`A message was larger than ${MAX_FRAME_BYTES} bytes`)
  }
  if (binary) throw new BadFrameError('A message was binary where text was expected')
  const message = parse(bytes)
  switch (message.type) {
    case 'credentials':
      return { type: 'credentials', grant: grantOf(message), ...sizeOf(message) }
    case 'resume':
      return { type: 'resume', token: tokenOf(message), ...sizeOf(message) }
    case 'end':
      return { type: 'end' }
    case 'message':
      if (typeof message.data !== 'string') throw new BadFrameError('A message came without data')
      return { type: 'message', data: message.data }
    case 'resize':
      return { type: 'resize', ...sizeOf(message) }
    case 'ack':
      if (!Number.isSafeInteger(message.bytes) || Number(message.bytes) < 0) {
        throw new BadFrameError('An acknowledgement came without a number of bytes')
      }
      return { type: 'ack', bytes: Number(message.bytes) }
    default:
      throw new BadFrameError('A message was of an unknown type')
  }
}

function parse(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    throw new BadFrameError('A message was not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadFrameError('A message was not a JSON object')
  }
  return value as Record<string, unknown>
}

function grantOf(message: Record<string, unknown>): string {
  const grant = message.system_id || message.privateKey
  if (typeof grant !== 'string' || grant.length > MAX_GRANT_LENGTH) {
    throw new BadFrameError('The credentials came without a grant')
  }
  return grant
}

function tokenOf({ token }: Record<string, unknown>): string {
  if (typeof token !== 'string' || token.length > MAX_GRANT_LENGTH) {
    throw new BadFrameError('A request to resume a terminal came without a token')
  }
  return token
}

function sizeOf(message: Record<string, unknown>): { cols: number; rows: number } {
  return {
    cols: clamp(message.cols, MIN_COLS, MAX_COLS),
    rows: clamp(message.rows, MIN_ROWS, MAX_ROWS),
  }
}

function clamp(value: unknown, least: number, max: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new BadFrameError('A terminal size was not a number')
  }
  return Math.min(max, Math.max(least, Math.round(value)))
}
