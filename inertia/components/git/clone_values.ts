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

/** The form asks for user name and password only for these (docs/product.md, "Files and git"). */
export function isHttpsRepository(repository: string): boolean {
  return /^https:\/\/[^/\s]/i.test(repository.trim())
}

/** For `git@host:path` and `ssh://git@host/path`, a deploy key signs in. */
export function isSshRepository(repository: string): boolean {
  return /^(ssh:\/\/)?[\w.][\w.-]*@[^\s/:]+(:(?!\/\/)|\/)./i.test(repository.trim())
}

/** `.` is the folder itself (docs/product.md, "Files and git"). */
export function normalizeDirectory(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

/** Returns field -> error message. */
export function validateClone(values: CloneValues): Partial<Record<keyof CloneValues, string>> {
  const { repository, username, password } = values
  if (repository.trim() === '') return { repository: 'Enter the repository link.' }
  if (isSshRepository(repository)) return {}
  if (!isHttpsRepository(repository)) {
    return { repository: 'Enter a link such as https://host/path or git@host:path.' }
  }
  return {
    ...(username === '' && { username: 'Enter the username.' }),
    ...(password === '' && { password: 'Enter the password.' }),
  }
}

/** SSH links are sent without user name and password. */
export function cloneRequestData({ repository, username, password, directory }: CloneValues) {
  return {
    repository,
    ...(!isSshRepository(repository) && { username, password }),
    directory: normalizeDirectory(directory),
  }
}
