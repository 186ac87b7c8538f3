import type { FormErrors } from '~/components/form/form_errors'

export interface CloneValues {
  repository: string
  username: string
  password: string
  directory: string
}

export const emptyCloneValues: CloneValues = {
  repository: '',
  username: '',
  password: '',
  directory: '',
}

/**
 * Returns whether the repository's address uses https. The form shows user name and password only then
 * (docs/product.md, "Files and git").
 */
export function isHttpsRepository(repository: string): boolean {
  return /^https:\/\/[^/\s]/i.test(repository.trim())
}

/** Returns whether the repository's address is `git@host:path` or `ssh://git@host/path`, which needs a deploy key. */
export function isSshRepository(repository: string): boolean {
  return /^(ssh:\/\/)?[\w.][\w.-]*@[^\s/:]+(:(?!\/\/)|\/)./i.test(repository.trim())
}

/** Normalizes the target folder of a clone. `.` is the open folder itself (docs/product.md, "Files and git"). */
export function normalizeDirectory(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

export function validateClone(values: CloneValues): Partial<Record<keyof CloneValues, string>> {
  const { repository, username, password } = values
  if (repository.trim() === '') return { repository: 'Enter the repository link.' }
  if (isSshRepository(repository)) return {}
  if (!isHttpsRepository(repository)) {
    return { repository: 'Enter a link such as https://host/path or git@host:path.' }
  }
  return password !== '' && username === '' ? { username: 'Enter the username.' } : {}
}

/** Assigns the error of a failed clone to the form's field that must be corrected, or to the whole form. */
export function assignCloneError(error: string | null | undefined): FormErrors {
  if (!error) return { errors: {}, formError: null }
  const field = /asks for a user name and password/.test(error)
    ? 'username'
    : /did not accept the user name and password/.test(error)
      ? 'password'
      : null
  return field ? { errors: { [field]: error }, formError: null } : { errors: {}, formError: error }
}

/** Omits user name and password for SSH addresses, and if the password is empty. */
export function cloneRequestData({ repository, username, password, directory }: CloneValues) {
  return {
    repository,
    ...(!isSshRepository(repository) && password !== '' && { username, password }),
    directory: normalizeDirectory(directory),
  }
}
