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
  /**
   * True: Berth may not read the folder, for example because root owns it. The page then offers
   * "Fix ownership".
   */
  isDenied: boolean
  serverInstances: InstanceChoice[]
  serverInstanceId: number | null
  /** Maximum bytes of an upload. */
  uploadLimit: number
  /** Limits of files that share a request: bytes of each file, number of files, total bytes. */
  uploadTogether: { bytes: number; files: number; total: number }
  /**
   * Bytes. Larger files are uploaded in parts, so that the upload can continue after a lost
   * connection.
   */
  resumableAbove: number
  /** Maximum number of files and folders in one copy, move, delete or mode request. */
  atOnce: number
  /** Always null, because the page loads this information separately (`/git/details`). */
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
  /**
   * True: Berth may not read the file, for example because root owns it. The page then offers "Fix
   * ownership".
   */
  isDenied: boolean
}
