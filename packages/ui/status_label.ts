/** Converts a status key to words: underscores become spaces, and each word is capitalised. */
export function statusLabel(status: string) {
  return status
    .replaceAll('_', ' ')
    .replace(
      /(^|\s)(\S)/gu,
      (_all, space: string, character: string) => space + character.toUpperCase()
    )
}
