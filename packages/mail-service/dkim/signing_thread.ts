import { parentPort } from 'node:worker_threads'
import { signatureOf, type SigningKey } from './signature.js'

const port = parentPort!

port.on('message', ({ id, raw, key }: { id: number; raw: Uint8Array; key: SigningKey }) => {
  signatureOf(Buffer.from(raw), key).then(
    (header) => port.postMessage({ id, header }),
    (error: unknown) => port.postMessage({ id, failure: String(error) })
  )
})
