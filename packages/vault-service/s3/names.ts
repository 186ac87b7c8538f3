import { S3Error } from './errors.js'

/** What is wrong with an object's name, if anything (product, "Vault"). */
export function nameFault(name: string): S3Error | undefined {
  if (Buffer.byteLength(name) > 1_024) {
    return new S3Error('KeyTooLongError', 'A name has 1,024 bytes at most.')
  }
  const parts = name.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..') || hasControls(name)) {
    return new S3Error(
      'InvalidArgument',
      'No part of a name is empty, "." or ".." (no double slashes, none at either end), and it has no control characters.',
      { ArgumentName: 'Key' }
    )
  }
  return undefined
}

/** Characters that no name has and XML cannot carry. */
export function hasControls(text: string): boolean {
  return /[\u0000-\u001f\u007f\ufffe\uffff]/.test(text)
}
