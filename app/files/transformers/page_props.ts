import type { SiteArea } from '#core/request_kind'
import type { Encoding } from '#files/encodings'
import type { Listing } from '#files/machine/web_root'

declare module '#core/page_props' {
  interface Pages {
    'customer/file_manager/list': FolderPage
    'admin/file_manager/list': FolderPage
    'customer/file_manager/file': FilePage
    'admin/file_manager/file': FilePage
  }
}

/** An instance that the selector offers. */
export interface InstanceChoice {
  id: number
  name: string
  status: string
}

/** A folder of an instance. */
export interface FolderPage extends Listing {
  area: SiteArea
  path: string
  /** Why the folder cannot be shown, in words. */
  problem: string | null
  /** It belongs to another user of the server instance: fixing the ownership helps. */
  isDenied: boolean
  serverInstances: InstanceChoice[]
  serverInstanceId: number | null
  /** Bytes. */
  uploadLimit: number
  /** Which files are uploaded together: bytes of each, how many in one call, and bytes of all of them. */
  uploadTogether: { bytes: number; files: number; total: number }
  /** How many files and folders one call copies, moves, deletes or changes the mode of. */
  atOnce: number
  /** Asked for by a call of its own (`/git/details`). */
  git: null
}

/** A text file of an instance. */
export interface FilePage {
  area: SiteArea
  path: string
  serverInstanceId: number
  /** Null when the file is not shown; `problem` says why. */
  content: string | null
  /** What it is saved as again. */
  encoding: Encoding | null
  fileVersion: string | null
  problem: string | null
  /** It belongs to another user of the server instance: fixing the ownership helps. */
  isDenied: boolean
}
