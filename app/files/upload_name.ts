import { parseFileName } from '#guest/public'

/**
 * Validates a name and composes it (NFC), because web pages do not find the decomposed names of
 * macOS.
 */
export function parseUploadName(name: unknown): string {
  return parseFileName(typeof name === 'string' ? name.normalize('NFC') : name, 'file')
}
