/** What the clone form holds. */
export interface CloneValues {
  repository: string
  username: string
  password: string
  directory: string
}

export const emptyClone: CloneValues = {
  repository: '',
  username: '',
  password: '',
  directory: '',
}

/** User name and password are asked for once the link names a server (product, "Files and git"). */
export function asksForLogin(repository: string): boolean {
  return /^https:\/\/[^/\s]/i.test(repository.trim())
}

/** Over SSH a deploy key signs in: `git@host:path`, `ssh://git@host/path`. */
export function usesDeployKey(repository: string): boolean {
  return /^(ssh:\/\/)?[\w.][\w.-]*@[^\s/:]+(:(?!\/\/)|\/)./i.test(repository.trim())
}

/** An empty directory, `.` and `/` are the folder itself (product, "Files and git"). */
export function directoryOf(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

/** field -> what is wrong with it */
export function checkClone(values: CloneValues): Partial<Record<keyof CloneValues, string>> {
  const { repository, username, password } = values
  if (repository.trim() === '') return { repository: 'Enter the repository link.' }
  if (usesDeployKey(repository)) return {}
  if (!asksForLogin(repository)) {
    return { repository: 'Enter a link such as https://host/path or git@host:path.' }
  }
  return {
    ...(username === '' && { username: 'Enter the username.' }),
    ...(password === '' && { password: 'Enter the password.' }),
  }
}

/** What a call to clone sends: no login where a key signs in. */
export function cloneData({ repository, username, password, directory }: CloneValues) {
  return {
    repository,
    ...(!usesDeployKey(repository) && { username, password }),
    directory: directoryOf(directory),
  }
}
