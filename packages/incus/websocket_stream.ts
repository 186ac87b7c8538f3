import { Duplex } from 'node:stream'
import WebSocket from 'ws'
import { IncusError } from './errors.ts'

/**
 * Returns a WebSocket as a stream with back-pressure in both directions. An empty text frame marks the end of output or
 * input. When such a frame arrives, closes the WebSocket, because otherwise an interactive exec would not end on the
 * server.
 * @param isOutput whether the WebSocket carries output. If so, the stream fails if the connection ends before that
 * frame, because output may be missing
 */
export function websocketStream(websocket: WebSocket, isOutput = false): Duplex {
  let over = false
  const finish = () => {
    if (over) return
    over = true
    stream.push(null)
  }
  const stream = new Duplex({
    allowHalfOpen: true,
    read() {
      if (websocket.isPaused) websocket.resume()
    },
    write(chunk: Buffer, _encoding, done) {
      if (websocket.readyState !== WebSocket.OPEN) return done()
      // Ignores write errors: a program may stop reading its input, and its exit code shows whether it succeeded.
      websocket.send(chunk, { binary: true }, () => done())
    },
    final(done) {
      if (websocket.readyState !== WebSocket.OPEN) return done()
      websocket.send('', { binary: false }, () => done())
    },
    destroy(error, done) {
      websocket.terminate()
      done(error)
    },
  })
  websocket.on('message', (data: Buffer, binary: boolean) => {
    if (data.length === 0) {
      if (!binary) {
        finish()
        websocket.close()
      }
      return
    }
    if (!over && !stream.push(data)) websocket.pause()
  })
  const breakOff = () => {
    if (!isOutput || over || stream.destroyed) return finish()
    over = true
    const message = 'The connection to the program ended before its output was complete'
    stream.destroy(new IncusError('unreachable', 0, message))
  }
  websocket.on('close', breakOff)
  websocket.on('error', breakOff)
  // Most callers only wait for the exit code. An error without a listener would end the process.
  stream.on('error', () => {})
  return stream
}
