import type { AppError } from '#core/app_error'

const UNIQUE_VIOLATION = '23505'

export function violatedUniqueKey(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === UNIQUE_VIOLATION ? constraint : undefined
}

/**
 * Converts a violation of a unique key into an expected error. Of simultaneous requests, the unique key lets only
 * one succeed.
 * @param errors by name of the unique key; violations of other keys remain unexpected errors
 */
export async function translateUniqueKeys<T>(
  errors: Record<string, () => AppError>,
  work: () => Promise<T>
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw errors[violatedUniqueKey(error) ?? '']?.() ?? error
  }
}
