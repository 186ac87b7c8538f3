import { checkName, MAX_NAME_BYTES } from '../http/object_names.js'
import { S3Error } from './errors.js'

/**
 * Returns an error for an invalid name. One slash at the end is allowed: the object is then a folder (`isFolderName`).
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

/** Returns whether the name is that of an empty folder, as the console creates it. Such an object has no bytes. */
export function isFolderName(name: string): boolean {
  return name.endsWith('/')
}

/** @throws S3Error InvalidArgument */
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
 * Returns whether a text contains control characters, which object names must not contain, or U+FFFE or U+FFFF, which
 * XML cannot represent.
 */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\ufffe\uffff]/u.test(text)
}
