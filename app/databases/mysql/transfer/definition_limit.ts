import { responseTooLarge } from '#databases/errors'

/** Larger than the definitions of any real database. An import also saves them in its state. */
const MAX_DEFINITION_CHARACTERS = 16 * 1024 ** 2

/**
 * Returns a function that adds texts which stay in memory. It throws an AppError when their sum is too large:
 * each response of the server is limited, but not their number.
 */
export function limitDefinitions(): (...texts: (string | null)[]) => void {
  let characters = 0
  return (...texts) => {
    for (const text of texts) characters += text?.length ?? 0
    if (characters > MAX_DEFINITION_CHARACTERS) throw responseTooLarge()
  }
}
