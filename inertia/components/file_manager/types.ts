import type { FileArea } from './addresses'

/** One entry of a folder, as `app/files` sends it: bytes, an ISO instant, `0644`. */
export interface Entry {
  name: string
  size: number
  modified: string
  mode: string
  link?: string
  /** What calls name it by, where that is not its name: no text, or not allowed as it is. */
  wire?: string
}

export type EntryType = 'file' | 'folder'
export type Row = Entry & { type: EntryType }

export interface InstanceChoice {
  id: number
  name: string
  status: string
}

export interface FileManagerPage {
  area: FileArea
  path: string
  files: Entry[]
  directories: Entry[]
  /** Why the folder cannot be shown, in words. */
  problem: string | null
  /** It belongs to another user of the server instance: fixing the ownership helps. */
  isDenied: boolean
  serverInstances: InstanceChoice[]
  serverInstanceId: number | null
  uploadLimit: number
}
