import { createHash, type Hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { Md5Response, Md5Request } from './md5_thread.js'

const memory = workerData as SharedArrayBuffer
const bodies = new Map<number, Hash>()

parentPort!.on('message', ({ id, body, piece }: Md5Request) => {
  const hash = bodies.get(body) ?? createHash('md5')
  if (piece) bodies.set(body, hash.update(new Uint8Array(memory, piece.at, piece.length)))
  else bodies.delete(body)
  const answer: Md5Response = piece ? { id } : { id, md5: hash.digest('hex') }
  parentPort!.postMessage(answer)
})
