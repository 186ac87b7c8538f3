import { parentPort } from 'node:worker_threads'
import { dkimSign, type DKIMSignOptions } from 'mailauth'
import type { SigningKey } from './signer.js'

const port = parentPort!

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
      { signingDomain: key.domain, selector: key.selector, privateKey: key.privateKey },
    ],
  } as DKIMSignOptions)
  if (errors?.length) throw errors[0]!.err
  return signatures
}
