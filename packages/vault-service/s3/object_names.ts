import { checkName, MAX_NAME_BYTES } from '../http/object_names.js'
import { S3Error } from './errors.js'

/** What is wrong with an object's name, if anything. One slash at its end makes it a folder's (`isFolderName`). */
export function objectNameError(name: string): S3Error | undefined {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    return new S3Error(
      'KeyTooLongError',
      `Your key is too long. A key can have at most ${MAX_NAME_BYTES} bytes.`
    )
  }
  try {
    checkName(isFolderName(name) ? name.slice(0, -1) : name)
    return undefined
  } catch {
    return new S3Error(
      'InvalidArgument',
      'A key must not begin with a slash, contain two slashes in a row, a part "." or "..", or control characters.',
      { ArgumentName: 'Key' }
    )
  }
}

/** Whether it names what the console shows as an empty folder: an object without bytes. */
export function isFolderName(name: string): boolean {
  return name.endsWith('/')
}

/** Refuses bytes for a folder. */
export function assertFolderHasNoBody(name: string, size: number): void {
  if (!isFolderName(name) || size === 0) return
  throw new S3Error(
    'InvalidArgument',
    'A key that ends with a slash is a folder and cannot have content.',
    {
      ArgumentName: 'Key',
    }
  )
}

/** Characters that no name has, some of which XML cannot carry. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\ufffe\uffff]/u.test(text)
}
