import type { Socket } from 'node:net'

const HEAD_BYTES = 5
const MAX_BYTES = 16 * 1024 * 1024

/** Encodes a frame: its kind (one letter), its length (32 bits), its bytes. */
export function frame(kind: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(kind)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** Calls `each` for every complete frame. Closes the connection if a frame is too long. */
export function frames(socket: Socket, each: (kind: string, bytes: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32BE(1)
      if (end > MAX_BYTES) return void socket.destroy()
      if (rest.length < end) return
      each(rest.toString('latin1', 0, 1), rest.subarray(HEAD_BYTES, end))
      rest = rest.subarray(end)
    }
  })
}
