/** Decodes a URL-encoded text in which spaces are plus signs and line breaks are unencoded `<br>` tags. */
export function decodeMessageText(content: string): string {
  return content
    .split(/<br\s*\/?>/iu)
    .map((part) => {
      const spaced = part.replaceAll('+', ' ')
      try {
        return decodeURIComponent(spaced)
      } catch {
        // The text contains an invalid percent-encoding, such as a single `%`, so it cannot be decoded.
        return spaced
      }
    })
    .join('\n')
}

const imageExtensions = ['png', 'jpg', 'jpeg']

export interface ChatFile {
  /** For example `chat-file/….jpg`. */
  path: string
  name: string
  extension: string
  isPicture: boolean
}

/** `files` contains paths, joined by commas. */
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

/** URL patterns of pages that show one record, with the record's noun and the prefix of its staff page. */
const contextPatterns: [pattern: RegExp, words: string, staff: string | null][] = [
  [/^\/server-instance\/(\d+)/u, 'instance', '/admin/server-instance/'],
  [/^\/project\/(\d+)/u, 'site', '/admin/project/'],
  [/^\/billing\/(\d+)/u, 'bill', '/admin/billing/details/'],
  [/^\/vault\/(\d+)/u, 'vault', null],
  [/^\/email\/(\d+)/u, 'sender address', '/admin/email/'],
]

export interface ContextLink {
  /** Noun of the record, for example `instance`. */
  noun: string
  id: string
  /** URL that is sent with the message. */
  page: string
  staffHref: string | null
}

/** Returns null if the URL does not show a single record. */
export function contextLinkFor(address: string): ContextLink | null {
  const page = address.split(/[?#]/u)[0]
  for (const [pattern, noun, staff] of contextPatterns) {
    const id = pattern.exec(page)?.[1]
    if (id) return { noun, id, page, staffHref: staff && `${staff}${id}` }
  }
  return null
}
