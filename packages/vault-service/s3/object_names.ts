import { checkName, checkNewName, MAX_NAME_BYTES } from '../http/object_names.js'
import { S3Error } from './errors.js'

/**
 * Returns an error for an invalid name. One slash at the end is allowed: the object is then a folder (`isFolderName`).
 * @param isNew whether the request creates the object, and so also needs a name that XML can represent
 */
export function objectNameError(name: string, isNew = false): S3Error | undefined {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    return new S3Error(
      'KeyTooLongError',
      `Your key is too long. A key can have at most ${MAX_NAME_BYTES} bytes.`
    )
  }
  try {
    const path = isFolderName(name) ? name.slice(0, -1) : name
    if (isNew) checkNewName(path)
    else checkName(path)
    return undefined
  } catch {
    return new S3Error(
      'InvalidArgument',
      'A key must not begin with a slash, contain two slashes in a row, a part "." or "..", control characters, U+FFFE or U+FFFF.',
      { ArgumentName: 'Key' }
    )
  }
}

/** Returns whether the name is that of a folder, as the console creates it. Such an object has no bytes. */
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

/** Returns whether a text contains control characters, or U+FFFE or U+FFFF, which XML cannot represent. */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\ufffe\uffff]/u.test(text)
}
