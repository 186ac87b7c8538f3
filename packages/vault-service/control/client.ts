import type { ControlInput, ControlName, ControlOutput } from './contract.js'

/** The service said no: its status, code and words. */
export class ControlRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

/** The service could not be reached, or did not answer as it should. */
export class ControlUnreachable extends Error {}

/** Asks the vault service. `url` is where it listens; `key` is VAULT_CONTROL_KEY. */
export class ControlClient {
  constructor(private readonly options: { url: string; key: string; timeout?: number }) {}

  /** Throws `ControlRefusal` or `ControlUnreachable`. Waits 30 s unless told otherwise (milliseconds). */
  async call<Name extends ControlName>(
    name: Name,
    input: ControlInput<Name>
  ): Promise<ControlOutput<Name>> {
    const { url, key, timeout = 30_000 } = this.options
    const body = await this.send(`${url}/control/${name}`, key, JSON.stringify(input), timeout)
    return body as ControlOutput<Name>
  }

  private async send(url: string, key: string, body: string, timeout: number): Promise<unknown> {
    let answer: Response
    let said: unknown
    try {
      answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(timeout),
      })
      said = await answer.json()
    } catch (error) {
      throw new ControlUnreachable('The vault service does not answer', { cause: error })
    }
    if (answer.ok) return said
    const { code, message } = said as { code?: string; message?: string }
    if (!code || answer.status >= 500) {
      throw new ControlUnreachable(message ?? `The vault service answered ${answer.status}`)
    }
    throw new ControlRefusal(answer.status, code, message ?? code)
  }
}
