import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import type { Caller } from '../console.js'

export interface Sent {
  /** Time at which the call started, in milliseconds since the load began. */
  at: number
  took: number
  failed?: string
}

export interface Load {
  sent: Sent[]
  stop(): Promise<Sent[]>
}

/** Makes calls at a constant rate, without waiting for earlier ones. `call` must throw an error if it fails. */
export function callAtRate(perSecond: number, call: () => Promise<void>): Load {
  const sent: Sent[] = []
  const pending = new Set<Promise<void>>()
  const began = performance.now()
  let count = 0
  const timer = setInterval(() => {
    // Starts all calls that are due by now, so that a delay in this process does not lower the rate.
    for (; count < ((performance.now() - began) / 1000) * perSecond; count++) begin()
  }, 5)
  const begin = () => {
    const at = performance.now()
    const done = call().then(
      () => void sent.push({ at: at - began, took: performance.now() - at }),
      (error: Error) =>
        void sent.push({ at: at - began, took: performance.now() - at, failed: wordsOf(error) })
    )
    pending.add(done)
    void done.then(() => pending.delete(done))
  }
  return {
    sent,
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      return sent
    },
  }
}

/** Makes calls one after another. Pauses only after a failed call, for 50 ms. */
export function callInSequence(call: () => Promise<void>): Load {
  const sent: Sent[] = []
  const began = performance.now()
  let ending = false
  const loop = async () => {
    while (!ending) {
      const at = performance.now()
      const failed = await call().then(
        () => undefined,
        (error: Error) => wordsOf(error)
      )
      sent.push({ at: at - began, took: performance.now() - at, ...(failed && { failed }) })
      if (failed) await sleep(50)
    }
  }
  const running = loop()
  return {
    sent,
    async stop() {
      ending = true
      await running
      return sent
    },
  }
}

const wordsOf = (error: Error) => `${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}`

export interface Get {
  /** HTTP agent that reuses connections. If undefined, each request opens a new connection. */
  agent?: Agent
  headers?: Record<string, string>
}

/** @throws Error if the response has another status, is incomplete or stalls for 120 s */
export function get(url: string, status: number, { agent, headers }: Get = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: agent ?? false, headers }, (response) => {
      response.resume()
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode === status) resolve()
        else reject(new Error(`${response.statusCode} instead of ${status}`))
      })
    })
    asked.setTimeout(120_000, () => asked.destroy(new Error('no answer for 120 s')))
    asked.once('error', reject)
    asked.end()
  })
}

/** Uploads a file for a support message. The upload is slow: it takes `seconds` seconds. */
export function upload(
  url: string,
  caller: Pick<Caller, 'cookie'> & { token: string },
  path: string,
  seconds: number
): Promise<void> {
  return new Promise((resolve, reject) => {
    const boundary = 'berth-bench'
    const part = (name: string, more = '') =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n`
    const sending = request(
      url + path,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          accept: 'application/json',
          cookie: caller.cookie,
          'x-xsrf-token': caller.token,
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('error', reject)
        response.once('end', () => {
          if (response.statusCode === 201) resolve()
          else reject(new Error(`${response.statusCode}: ${text.slice(0, 200)}`))
        })
      }
    )
    sending.once('error', reject)
    const send = async () => {
      sending.write(`${part('type')}\r\ndoc\r\n`)
      const type = 'content-type: text/plain\r\n\r\n'
      sending.write(`${part('doc_1', '; filename="words.txt"')}${type}`)
      for (let sent = 0; sent < seconds * 10; sent++) {
        sending.write('words of a file\n'.repeat(1_000))
        await sleep(100)
      }
      sending.end(`\r\n--${boundary}--\r\n`)
    }
    void send()
  })
}

/** A terminal that sends the same WebSocket messages as the console's page. */
export class Terminal {
  closed: string[] = []
  warned: string[] = []
  text = ''
  #socket?: WebSocket

  constructor(
    readonly url: string,
    readonly origin: string,
    readonly caller: Pick<Caller, 'cookie'>,
    readonly grant: () => Promise<string>
  ) {}

  async open(): Promise<void> {
    const socket = new WebSocket(this.url, {
      headers: { origin: this.origin, cookie: this.caller.cookie },
    })
    this.#socket = socket
    const ready = Promise.withResolvers<void>()
    socket.on('error', ready.reject)
    socket.on('close', (code) => {
      if (this.#socket !== socket) return
      ready.reject(new Error(`The terminal was closed with ${code}`))
    })
    const grant = await this.grant()
    if (socket.readyState === WebSocket.CONNECTING) {
      await new Promise<void>((done, failed) => socket.once('open', done).once('error', failed))
    }
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (binary) {
        this.text = (this.text + data.toString()).slice(-4_000)
        return this.#send({ type: 'ack', bytes: data.length })
      }
      const message = JSON.parse(data.toString()) as Record<string, string>
      if (message.type === 'ready') ready.resolve()
      if (message.type === 'warning') this.warned.push(message.text!)
      if (message.type === 'closed') {
        this.closed.push(message.reason!)
        ready.reject(new Error(message.reason))
      }
    })
    const size = { cols: 80, rows: 24 }
    const who = { instance_type: 'host', host: '', user: '', commands: [], privateKey: grant }
    this.#send({ type: 'credentials', ...who, ...size })
    await ready.promise
  }

  type(data: string): void {
    this.#send({ type: 'message', data })
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }

  #send(message: object): void {
    if (this.isOpen) this.#socket!.send(JSON.stringify(message))
  }
}
