import { notPossible } from '#databases/errors'
import type { ServerHands } from '#databases/servers/engine'

const later = () => Promise.reject(notPossible('This is not possible yet.'))

export const mysqlServers: ServerHands = {
  warning: () => null,
  preflight: () => Promise.resolve({ refusal: null, warning: null }),
  install: later,
  state: () => Promise.resolve({ status: 'absent', version: null, problem: null }),
  act: later,
  log: later,
}
