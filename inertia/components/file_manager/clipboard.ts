/** What was copied or cut, until it is pasted. */
export interface Clip {
  kind: 'copy' | 'cut'
  instance: number
  /** Where it comes from, relative to the web root. */
  folder: string
  /** As calls name them. */
  paths: string[]
}

/** What is carried from folder to folder, so it lives outside of pages. It is not the system's clipboard. */
class Clipboard {
  #clip: Clip | null = null
  #watchers = new Set<() => void>()

  readonly clip = () => this.#clip

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  put(clip: Clip | null) {
    this.#clip = clip
    for (const watcher of this.#watchers) watcher()
  }
}

export const clipboard = new Clipboard()

/** The ways of pasting: the server's name for each. */
export const pasteCalls = { copy: 'copy', cut: 'move' } as const

/** Why a clip cannot be pasted into a folder; null where it can. */
export function whyNotPaste(clip: Clip | null, instance: number | null, folder: string) {
  if (!clip) return 'Copy or cut something first.'
  if (clip.instance !== instance) return 'What was copied or cut is on another server instance.'
  if (clip.kind === 'cut' && clip.folder === folder) return 'What was cut is in this folder.'
  return null
}

/** How a number of files and folders is said. */
export function itemsText(count: number) {
  return count === 1 ? '1 item' : `${count.toLocaleString('en')} items`
}
