import { Duplex } from 'node:stream'
import WebSocket from 'ws'

/**
 * One websocket of an exec as a byte stream with back-pressure both ways. Incus marks the end of
 * output by an empty text frame, and expects the same for the end of input. An interactive exec
 * ends on the server only after we close the websocket on that frame, so that is done here.
 */
export function websocketStream(websocket: WebSocket): Duplex {
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
      // A reader that has gone is no error of the writer: the exit code tells what happened.
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
  websocket.on('close', finish)
  websocket.on('error', finish)
  return stream
}
