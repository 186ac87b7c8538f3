import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `at`: pattern of a statement, or number of bytes that Berth has sent on all connections since `when` was called. */
export interface ProxyMoment {
  at: RegExp | number
  /**
   * True: the data that matches `at` is forwarded, and the server's response to it is dropped. False: this data is
   * dropped and never reaches the server.
   */
  answered?: boolean
}

export async function startStatementProxy(url: string) {
  const target = new URL(url)
  const open = new Set<Socket>()
  let waiting: { moment: ProxyMoment; sent: number; act: () => void } | undefined
  const server = createServer((socket) => {
    const other = connect(Number(target.port), target.hostname)
    let answer: (() => void) | undefined
    for (const each of [socket, other]) {
      open.add(each)
      each.on('error', () => {})
      each.on('close', () => {
        open.delete(each)
        socket.destroy()
        other.destroy()
      })
    }
    socket.on('data', (chunk) => {
      if (waiting && reached(waiting, chunk)) {
        const { moment, act } = waiting
        waiting = undefined
        if (!moment.answered) return act()
        answer = act
      }
      other.write(chunk)
    })
    other.on('data', (chunk) => {
      if (!answer) return void socket.write(chunk)
      answer()
      answer = undefined
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    when(moment: ProxyMoment, act: () => void) {
      waiting = { moment, sent: 0, act }
    },
    /** Cancels a moment that has not come yet. */
    forget() {
      waiting = undefined
    },
    stop() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

function reached(waiting: { moment: ProxyMoment; sent: number }, chunk: Buffer): boolean {
  const { at } = waiting.moment
  waiting.sent += chunk.length
  return typeof at === 'number' ? waiting.sent >= at : at.test(chunk.toString('latin1'))
}
