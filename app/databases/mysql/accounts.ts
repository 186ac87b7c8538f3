import { notPossible } from '#databases/errors'
import type { AccountHands } from '#databases/servers/engine'

const later = () => Promise.reject(notPossible('This is not possible yet.'))

export const mysqlAccounts: AccountHands = {
  databases: () => Promise.resolve([]),
  users: () => Promise.resolve([]),
  assertFree: later,
  create: later,
  drop: later,
  addUser: later,
  setPassword: later,
  setAccess: later,
  setRemote: later,
  removeUser: later,
}
