import type { SystemPage } from '#core/queries/system'

/**
 * The pages by their files below `inertia/pages`, and what each is sent. Every domain adds its own
 * beside the types of their props (`declare module '#core/pages'`); `inertia/page_files.ts` holds that
 * each is there and takes these props.
 */
export interface Pages {
  'admin/system': SystemPage
  'errors/not_found': ErrorPage
  'errors/refused': ErrorPage
  'errors/server_error': ErrorPage
  soon: { title: string }
}

interface ErrorPage {
  status: number
  /** What happened and what to do about it. */
  message: string
}

/** A page of a list, with what its filters need. */
export interface ListPage<Row> {
  page: number
  length: number
  /** All records that match, not only the rows sent. */
  count: number
  rows: Row[]
  /** Status key -> label. */
  statuses: Record<string, string>
  /** Status key -> records with it. */
  counts: Record<string, number>
}
