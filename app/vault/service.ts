import { invalid, Refusal } from '#core/refusal'
import { noAnswer } from '#vault/errors'
import env from '#start/env'
import { ControlClient, ControlRefusal } from '#packages/vault-service/control/client'
import type {
  ControlInput,
  ControlName,
  ControlOutput,
} from '#packages/vault-service/control/contract'

/** Where the service is asked; nothing where it is not set up. */
function serviceUrl(): string {
  const url = env.get('VAULT_CONTROL_URL')
  if (!url) throw noAnswer()
  return url
}

function client(): ControlClient {
  const key = env.get('VAULT_CONTROL_KEY')
  if (!key) throw noAnswer()
  return new ControlClient({ url: serviceUrl(), key: key.release() })
}

/**
 * Asks the vault service, which alone knows what is in vaults (packages/vault-service).
 * @throws refusal what the service refuses, in its words; 503 where it does not answer
 */
export async function askVaults<Name extends ControlName>(
  name: Name,
  input: ControlInput<Name>
): Promise<ControlOutput<Name>> {
  try {
    return await client().call(name, input)
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (!(error instanceof ControlRefusal)) throw noAnswer(error)
    if (error.code === 'name') throw invalid({ name: error.message })
    throw new Refusal(error.code, error.status, error.message, { cause: error })
  }
}

/** What a signed link leads to, at most so many bytes from its beginning, for previews. */
export async function readLink(path: string, bytes: number): Promise<Buffer> {
  try {
    const answer = await fetch(new URL(path, serviceUrl()), {
      headers: { range: `bytes=0-${bytes - 1}`, 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(10_000),
    })
    if (answer.status === 416) return Buffer.alloc(0)
    if (!answer.ok) throw new Error(`A link was answered ${answer.status}`)
    return Buffer.from(await answer.arrayBuffer()).subarray(0, bytes)
  } catch (error) {
    throw noAnswer(error)
  }
}
