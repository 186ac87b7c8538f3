/** What the clone form holds. */
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

/** User name and password are asked for once the link names a server (product, "Files and git"). */
export function isHttpsRepository(repository: string): boolean {
  return /^https:\/\/[^/\s]/i.test(repository.trim())
}

/** Over SSH a deploy key signs in: `git@host:path`, `ssh://git@host/path`. */
export function isSshRepository(repository: string): boolean {
  return /^(ssh:\/\/)?[\w.][\w.-]*@[^\s/:]+(:(?!\/\/)|\/)./i.test(repository.trim())
}

/** An empty directory, `.` and `/` are the folder itself (product, "Files and git"). */
export function normalizeDirectory(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

/** field -> what is wrong with it */
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

/** What a call to clone sends: no login where a key signs in. */
export function cloneRequestData({ repository, username, password, directory }: CloneValues) {
  return {
    repository,
    ...(!isSshRepository(repository) && { username, password }),
    directory: normalizeDirectory(directory),
  }
}
