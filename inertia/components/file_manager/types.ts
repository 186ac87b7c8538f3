import type { Encoding } from '#files/encodings'
import type { FilePage, FolderPage } from '#files/transformers/page_props'

export type { Encoding, FilePage, FolderPage }

/** An entry of a folder as `app/files` sends it: size in bytes, time in ISO format, mode such as `0644`. */
export interface FileEntry {
  name: string
  size: number
  modified: string
  mode: string
  link?: string
  /** Encoded name. Set if the real name is not valid text or is not allowed. */
  wire?: string
}

export type EntryType = 'file' | 'folder'
export type FileRow = FileEntry & { type: EntryType }
