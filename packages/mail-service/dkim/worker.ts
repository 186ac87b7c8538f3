import { createPrivateKey, type KeyObject } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { dkimSign } from 'mailauth'
import type { SigningKey } from './signer.js'

const port = parentPort!
const parsed = new Map<string, KeyObject>()

port.on('message', ({ id, raw, key }: { id: number; raw: Uint8Array; key: SigningKey }) => {
  sign(Buffer.from(raw), key).then(
    (header) => port.postMessage({ id, header }),
    (error: unknown) => port.postMessage({ id, failure: String(error) })
  )
})

async function sign(raw: Buffer, key: SigningKey): Promise<string> {
  const { signatures, errors } = await dkimSign(raw, {
    canonicalization: 'relaxed/relaxed',
    signatureData: [
      {
        signingDomain: key.domain,
        selector: key.selector,
        privateKey: keyOf(key.privateKey) as never,
      },
    ],
  } as never)
  if (errors?.length) throw errors[0]!.err
  return signatures
}

/** Reading a key costs as much as signing with it. */
function keyOf(text: string): KeyObject {
  const known = parsed.get(text)
  if (known) return known
  if (parsed.size > 1_000) parsed.clear()
  const key = createPrivateKey(text)
  parsed.set(text, key)
  return key
}
