import type { AppError } from '#core/app_error'

const UNIQUE_VIOLATION = '23505'

export function violatedUniqueKey(error: unknown): string | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === UNIQUE_VIOLATION ? constraint : undefined
}

/**
 * Converts a violation of a unique key into an expected error. Unique keys decide between simultaneous
 * requests.
 * @param errors by key; violations of other keys are faults
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
