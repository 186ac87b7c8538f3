import { parseFileName } from '#guest/public'

/** Composes the name (NFC): web pages do not find the decomposed names that macOS sends. */
export function parseUploadName(name: unknown): string {
  return parseFileName(typeof name === 'string' ? name.normalize('NFC') : name, 'file')
}
