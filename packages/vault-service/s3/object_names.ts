import { checkName, MAX_NAME_BYTES } from '../http/object_names.js'
import { S3Error } from './errors.js'

/**
 * Returns the error of a name. One slash at the end is allowed: it makes the object a folder (`isFolderName`).
 */
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

/** Returns whether a name is that of an empty folder in the console, an object without bytes. */
export function isFolderName(name: string): boolean {
  return name.endsWith('/')
}

/** @throws InvalidArgument if a folder would have content */
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

/**
 * Returns whether a text has control characters. Names must not contain them, and XML cannot represent some of
 * them.
 */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\ufffe\uffff]/u.test(text)
}
