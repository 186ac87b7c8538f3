import type { Socket } from 'node:net'
import type { ExitStatus } from './types.js'

const FRAME_HEADER_BYTES = 5
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Encodes a frame: kind (one letter), length (32 bits) and bytes. */
export function encodeFrame(kind: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEADER_BYTES)
  head.write(kind)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/**
 * Calls `each` for each received frame. Closes the connection if a frame is too long or `each` throws, so that the
 * other process cannot crash this one.
 */
export function onEachFrame(socket: Socket, each: (kind: string, bytes: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk
    while (rest.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + rest.readUInt32BE(1)
      if (end > MAX_FRAME_BYTES) return void socket.destroy()
      if (rest.length < end) return
      try {
        each(rest.toString('latin1', 0, 1), rest.subarray(FRAME_HEADER_BYTES, end))
      } catch {
        return void socket.destroy()
      }
      rest = rest.subarray(end)
    }
  })
}

/** `code` and `signal` are null if the frame is invalid. */
export function readExitStatus(bytes: Buffer): ExitStatus {
  const unknown: ExitStatus = { code: null, signal: null }
  try {
    const { code, signal } = JSON.parse(bytes.toString()) as Record<keyof ExitStatus, unknown>
    if (code !== null && !Number.isInteger(code)) return unknown
    if (signal !== null && (typeof signal !== 'string' || !/^SIG[A-Z0-9+]{1,12}$/.test(signal)))
      return unknown
    return { code: code as number | null, signal }
  } catch {
    return unknown
  }
}
