export type ControlCalls<Contract> = {
  [Name in keyof Contract]: { input: unknown; output: unknown }
}

export class ControlError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

/**
 * The service could not be reached, or it responded with a 5xx status, without JSON, or with an error without a code.
 * `code` is the service's error code, if any.
 */
export class ControlUnreachableError extends Error {
  code?: string
}

/** A client of a control API. `url` is the service's base URL, `key` the shared control key. */
export class ControlClient<Contract extends ControlCalls<Contract>> {
  readonly #options: { url: string; key: string; timeout?: number }

  constructor(options: { url: string; key: string; timeout?: number }) {
    this.#options = options
  }

  /**
   * Times out after 30 s by default.
   * @throws ControlError, ControlUnreachableError
   */
  async call<Name extends keyof Contract & string>(
    name: Name,
    input: Contract[Name]['input']
  ): Promise<Contract[Name]['output']> {
    const { url, key, timeout = 30_000 } = this.#options
    return this.#send(`${url}/control/${name}`, key, JSON.stringify(input), timeout)
  }

  async #send(url: string, key: string, body: string, timeout: number): Promise<unknown> {
    let answer: Response
    let content: unknown
    try {
      answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(timeout),
      })
      content = await answer.json()
    } catch (error) {
      throw new ControlUnreachableError('The service does not respond', { cause: error })
    }
    if (answer.ok) return content
    const { code, message } = content as { code?: string; message?: string }
    if (!code || answer.status >= 500) {
      const text = message ?? `The service answered ${answer.status}`
      throw Object.assign(new ControlUnreachableError(text), { code })
    }
    throw new ControlError(answer.status, code, message ?? code)
  }
}
