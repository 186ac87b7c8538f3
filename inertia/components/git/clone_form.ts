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

/** An empty directory, `.` and `/` are the folder itself (product, "Files and git"). */
export function directoryOf(text: string): string {
  const directory = text.trim()
  return directory === '' || directory === '/' ? '.' : directory
}

/** field -> what is wrong with it */
export function checkClone(values: CloneValues): Partial<Record<keyof CloneValues, string>> {
  const { repository, username, password } = values
  if (repository.trim() === '') return { repository: 'Give the link of the repository.' }
  if (!asksForLogin(repository)) {
    return { repository: 'Only addresses that begin with https:// can be cloned.' }
  }
  return {
    ...(username === '' && { username: 'Give the user name.' }),
    ...(password === '' && { password: 'Give the password.' }),
  }
}
