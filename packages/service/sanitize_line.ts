/** Converts untrusted text to one line without control characters, so that it is safe to show and to store. */
export function sanitizeLine(text: string, maxLength = 1_000): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, maxLength)
}
