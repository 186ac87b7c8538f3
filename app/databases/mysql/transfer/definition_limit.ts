import { responseTooLarge } from '#databases/errors'

/** More than the definitions of any real database have together. The import also saves the definitions in its state. */
const MAX_DEFINITION_CHARACTERS = 16 * 1024 ** 2

/**
 * Returns a function that adds up the lengths of texts that stay in memory. It throws an AppError when the sum is
 * too large. Each response of a hostile server is limited, but it could send many.
 */
export function limitDefinitions(): (...texts: (string | null)[]) => void {
  let characters = 0
  return (...texts) => {
    for (const text of texts) characters += text?.length ?? 0
    if (characters > MAX_DEFINITION_CHARACTERS) throw responseTooLarge()
  }
}
