import { notPossible } from '#databases/errors'
import type { TransferHands } from '#databases/servers/engine'

const later = () => Promise.reject(notPossible('This is not possible yet.'))

export const mysqlTransfer: TransferHands = {
  format: 'sql.gz',
  asksCredentials: false,
  assertFile() {},
  assertCredentials: () => Promise.resolve(),
  import: later,
  export: later,
  contents: later,
}
