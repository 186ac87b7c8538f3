import { invalid, AppError } from '#core/app_error'
import { mailServiceUnavailable } from '#mail/errors'
import env from '#start/env'
import { ControlClient, ControlError } from '#packages/service/control_client'
import type { ControlApi } from '#packages/mail-service/control/contract'

type Name = keyof ControlApi & string

/** Short, because a person waits for the page meanwhile. */
const RESPONSE_TIMEOUT_MS = 10_000
const OPTIONAL_RESPONSE_TIMEOUT_MS = 3_000

/**
 * Calls the mail service, the only process that knows which emails were sent
 * (packages/mail-service).
 * @throws AppError with the service's own error; 503 if it does not respond or is not configured
 */
export async function callMailService<Method extends Name>(
  name: Method,
  input: ControlApi[Method]['input'],
  timeout = RESPONSE_TIMEOUT_MS
): Promise<ControlApi[Method]['output']> {
  const [url, key] = [env.get('MAIL_CONTROL_URL'), env.get('MAIL_CONTROL_KEY')]
  if (!url || !key) throw mailServiceUnavailable()
  const client = new ControlClient<ControlApi>({ url, key: key.release(), timeout })
  try {
    return await client.call(name, input)
  } catch (error) {
    if (!(error instanceof ControlError)) throw mailServiceUnavailable(error)
    if (error.code === 'bad_url') throw invalid({ url: error.message })
    throw new AppError(error.code, error.status, error.message, { cause: error })
  }
}

export async function callMailServiceIfAvailable<Method extends Name>(
  name: Method,
  input: ControlApi[Method]['input']
): Promise<ControlApi[Method]['output'] | null> {
  try {
    return await callMailService(name, input, OPTIONAL_RESPONSE_TIMEOUT_MS)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
