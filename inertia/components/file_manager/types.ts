import type { Encoding } from '#files/encodings'
import type { FilePage, FolderPage } from '#files/transformers/page_props'

export type { Encoding, FilePage, FolderPage }

/** One entry of a folder, as `app/files` sends it: bytes, an ISO instant, `0644`. */
export interface FileEntry {
  name: string
  size: number
  modified: string
  mode: string
  link?: string
  /** What calls name it by, where that is not its name: no text, or not allowed as it is. */
  wire?: string
}

export type EntryType = 'file' | 'folder'
export type FileRow = FileEntry & { type: EntryType }
