/** The text of a message: URL-encoded, plus signs mean spaces, tags that break lines stand unencoded. */
export function decodeMessageText(content: string): string {
  return content
    .split(/<br\s*\/?>/iu)
    .map((part) => {
      const spaced = part.replaceAll('+', ' ')
      try {
        return decodeURIComponent(spaced)
      } catch {
        // A percent sign that encodes nothing.
        return spaced
      }
    })
    .join('\n')
}

const imageExtensions = ['png', 'jpg', 'jpeg']

export interface ChatFile {
  /** Its path: `chat-file/….jpg` */
  path: string
  name: string
  extension: string
  isPicture: boolean
}

/** The files of a message, whose paths are joined by commas. */
export function parseMessageFiles({
  files,
  names,
}: {
  files: string
  names: string[]
}): ChatFile[] {
  return files
    .split(',')
    .filter(Boolean)
    .map((path, index) => {
      const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
      const name = names[index] ?? path.slice(path.lastIndexOf('/') + 1)
      return { path, name, extension, isPicture: imageExtensions.includes(extension) }
    })
}

/** What one page is called when somebody asks about it, by its address. */
const contextPatterns: [pattern: RegExp, words: string, staff: string | null][] = [
  [/^\/server-instance\/(\d+)/u, 'instance', '/admin/server-instance/'],
  [/^\/project\/(\d+)/u, 'site', '/admin/project/'],
  [/^\/billing\/(\d+)/u, 'bill', '/admin/billing/details/'],
  [/^\/vault\/(\d+)/u, 'vault', null],
  [/^\/email\/(\d+)/u, 'sender address', '/admin/email/'],
]

export interface ContextLink {
  /** `instance` */
  noun: string
  id: string
  /** The address that goes with the message. */
  page: string
  /** Where staff see the same thing. */
  staffHref: string | null
}

/** What an address is about; null where it is no one thing. */
export function contextLinkFor(address: string): ContextLink | null {
  const page = address.split(/[?#]/u)[0]
  for (const [pattern, noun, staff] of contextPatterns) {
    const id = pattern.exec(page)?.[1]
    if (id) return { noun, id, page, staffHref: staff && `${staff}${id}` }
  }
  return null
}
