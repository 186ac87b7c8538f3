/** What was copied or cut, until it is pasted. */
export interface Clip {
  kind: 'copy' | 'cut'
  instance: number
  /** Where it comes from, relative to the web root. */
  folder: string
  /** As calls name them. */
  paths: string[]
}

const STORAGE_KEY = 'file-manager-clipboard'

/**
 * What is carried from folder to folder, so it lives outside of pages, and in this tab's store, so that a reload
 * keeps it. It is not the system's clipboard.
 */
class Clipboard {
  /** Undefined is not read yet. */
  #clip: Clip | null | undefined
  #watchers = new Set<() => void>()

  readonly clip = () => (this.#clip === undefined ? (this.#clip = saved()) : this.#clip)

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  put(clip: Clip | null) {
    this.#clip = clip
    try {
      if (clip) window.sessionStorage.setItem(STORAGE_KEY, JSON.stringify(clip))
      else window.sessionStorage.removeItem(STORAGE_KEY)
    } catch {
      // A full or forbidden store is no reason to fail.
    }
    for (const watcher of this.#watchers) watcher()
  }
}

function saved(): Clip | null {
  try {
    const clip: unknown = JSON.parse(window.sessionStorage.getItem(STORAGE_KEY) ?? 'null')
    return isClip(clip) ? clip : null
  } catch {
    return null
  }
}

function isClip(value: unknown): value is Clip {
  if (typeof value !== 'object' || value === null) return false
  const { kind, instance, folder, paths } = value as Partial<Record<keyof Clip, unknown>>
  return (
    (kind === 'copy' || kind === 'cut') &&
    typeof instance === 'number' &&
    typeof folder === 'string' &&
    Array.isArray(paths) &&
    paths.length > 0 &&
    paths.every((path) => typeof path === 'string')
  )
}

export const clipboard = new Clipboard()

/** The ways of pasting: the server's name for each. */
export const pasteCalls = { copy: 'copy', cut: 'move' } as const

/** Why a clip cannot be pasted into a folder; null where it can. */
export function whyNotPaste(clip: Clip | null, instance: number | null, folder: string) {
  if (!clip) return 'Copy or cut something first.'
  if (clip.instance !== instance)
    return 'The copied items are on another server instance. You can paste them only there.'
  if (clip.kind === 'cut' && clip.folder === folder)
    return 'The cut items are already in this folder.'
  return null
}

/** How a number of files and folders is said. */
export function itemsText(count: number) {
  return count === 1 ? '1 item' : `${count.toLocaleString('en')} items`
}
