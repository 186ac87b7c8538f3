import type { SiteArea } from '#core/request_kind'
import type { Encoding } from '#files/encodings'
import type { FolderListing } from '#files/machine/web_root'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/file_manager/list': FolderPage
    'admin/file_manager/list': FolderPage
    'customer/file_manager/file': FilePage
    'admin/file_manager/file': FilePage
  }
}

export interface InstanceChoice {
  id: number
  name: string
  status: string
}

export interface FolderPage extends FolderListing {
  area: SiteArea
  path: string
  problem: string | null
  /** Permission denied, for example because root owns it. “Fix ownership” helps. */
  isDenied: boolean
  serverInstances: InstanceChoice[]
  serverInstanceId: number | null
  /** Bytes. */
  uploadLimit: number
  /** Bytes of each file, number of files, total bytes. */
  uploadTogether: { bytes: number; files: number; total: number }
  /** Bytes. Larger files are sent in parts that continue after a lost connection. */
  resumableAbove: number
  /** Files and folders in one copy, move, delete or mode request. */
  atOnce: number
  /** Always null: the page loads it separately (`/git/details`). */
  git: null
}

export interface FilePage {
  area: SiteArea
  path: string
  serverInstanceId: number
  /** Null: `problem` says why the file cannot be shown. */
  content: string | null
  encoding: Encoding | null
  fileVersion: string | null
  problem: string | null
  /** Permission denied, for example because root owns it. “Fix ownership” helps. */
  isDenied: boolean
}
