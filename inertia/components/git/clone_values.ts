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
 * Returns whether an address uses https. Only then the form shows user name and password (docs/product.md,
 * "Files and git").
 */
export function isHttpsRepository(repository: string): boolean {
  return /^https:\/\/[^/\s]/i.test(repository.trim())
}

/** Returns whether an address is `git@host:path` or `ssh://git@host/path`, for which a deploy key signs in. */
export function isSshRepository(repository: string): boolean {
  return /^(ssh:\/\/)?[\w.][\w.-]*@[^\s/:]+(:(?!\/\/)|\/)./i.test(repository.trim())
}

/** Normalizes a folder. `.` is the folder itself (docs/product.md, "Files and git"). */
export function normalizeDirectory(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

/** Returns error messages by field. */
export function validateClone(values: CloneValues): Partial<Record<keyof CloneValues, string>> {
  const { repository, username, password } = values
  if (repository.trim() === '') return { repository: 'Enter the repository link.' }
  if (isSshRepository(repository)) return {}
  if (!isHttpsRepository(repository)) {
    return { repository: 'Enter a link such as https://host/path or git@host:path.' }
  }
  return password !== '' && username === '' ? { username: 'Enter the username.' } : {}
}

/** Places the error of a failed clone at the field that has to change, or above the buttons. */
export function assignCloneError(error: string | null | undefined): FormErrors {
  if (!error) return { errors: {}, formError: null }
  const field = /asks for a user name and password/.test(error)
    ? 'username'
    : /did not accept the user name and password/.test(error)
      ? 'password'
      : null
  return field ? { errors: { [field]: error }, formError: null } : { errors: {}, formError: error }
}

/** Returns the data of a request. SSH addresses and public repositories get no user name and password. */
export function cloneRequestData({ repository, username, password, directory }: CloneValues) {
  return {
    repository,
    ...(!isSshRepository(repository) && password !== '' && { username, password }),
    directory: normalizeDirectory(directory),
  }
}
