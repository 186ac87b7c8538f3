import { notPossible } from '#databases/errors'
import type { EngineDriver } from '#databases/servers/engine'

const later = () => Promise.reject(notPossible('This is not possible yet.'))

export const mongodb: EngineDriver = {
  servers: {
    warning: () => null,
    preflight: later,
    install: later,
    state: () => Promise.resolve({ status: 'absent', version: null, problem: null }),
    act: later,
    log: later,
  },
  accounts: {
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
    opens: later,
    connections: () => [],
    environment: () => ({}),
  },
  browse: {
    tables: () => Promise.resolve([]),
    rows: later,
    structure: later,
    query: later,
    cancel: later,
  },
  transfer: {
    format: 'mongodump.zip',
    asksCredentials: true,
    assertFile() {},
    assertCredentials: later,
    import: later,
    export: later,
    contents: later,
  },
}
