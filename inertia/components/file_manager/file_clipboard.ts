export interface ClipboardContent {
  kind: 'copy' | 'cut'
  instance: number
  /** Folder that the paths were copied or cut from, relative to the web root. */
  folder: string
  paths: string[]
}

const STORAGE_KEY = 'file-manager-clipboard'

/**
 * A clipboard for files, separate from the system's. It is stored outside the pages to survive a change of folder, and
 * in session storage to survive a reload.
 */
class FileClipboard {
  /** Undefined: not loaded from session storage yet. Null: empty. */
  #clip: ClipboardContent | null | undefined
  #watchers = new Set<() => void>()

  readonly content = () => (this.#clip === undefined ? (this.#clip = loadContent()) : this.#clip)

  readonly subscribe = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  set(clip: ClipboardContent | null) {
    this.#clip = clip
    try {
      if (clip) window.sessionStorage.setItem(STORAGE_KEY, JSON.stringify(clip))
      else window.sessionStorage.removeItem(STORAGE_KEY)
    } catch {
      // Session storage is full or forbidden. The clipboard still works until the next reload.
    }
    for (const watcher of this.#watchers) watcher()
  }
}

function loadContent(): ClipboardContent | null {
  try {
    const clip: unknown = JSON.parse(window.sessionStorage.getItem(STORAGE_KEY) ?? 'null')
    return isClipboardContent(clip) ? clip : null
  } catch {
    return null
  }
}

function isClipboardContent(value: unknown): value is ClipboardContent {
  if (typeof value !== 'object' || value === null) return false
  const { kind, instance, folder, paths } = value as Partial<
    Record<keyof ClipboardContent, unknown>
  >
  return (
    (kind === 'copy' || kind === 'cut') &&
    typeof instance === 'number' &&
    typeof folder === 'string' &&
    Array.isArray(paths) &&
    paths.length > 0 &&
    paths.every((path) => typeof path === 'string')
  )
}

export const fileClipboard = new FileClipboard()

export const pasteEndpoints = { copy: 'copy', cut: 'move' } as const

export function pasteDisabledReason(
  clip: ClipboardContent | null,
  instance: number | null,
  folder: string
) {
  if (!clip) return 'Copy or cut something first.'
  if (clip.instance !== instance)
    return 'The copied items are on another server instance. You can paste them only there.'
  if (clip.kind === 'cut' && clip.folder === folder)
    return 'The cut items are already in this folder.'
  return null
}

export function itemCountLabel(count: number) {
  return count === 1 ? '1 item' : `${count.toLocaleString('en')} items`
}
