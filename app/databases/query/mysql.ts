import { notPossible } from '#databases/errors'
import type { BrowseHands } from '#databases/servers/engine'

const later = () => Promise.reject(notPossible('This is not possible yet.'))

export const mysqlBrowse: BrowseHands = {
  tables: () => Promise.resolve([]),
  rows: later,
  structure: later,
  query: later,
  cancel: later,
}
