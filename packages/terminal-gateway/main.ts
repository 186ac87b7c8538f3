/** Terminals of browsers, connected to shells on machines. Knows no database and no framework. */
export { createGateway } from './gateway.js'
export type { Gateway, GatewayOptions, Identity, GrantRejection, Session } from './types.js'
