/** Terminals of browsers, connected to shells on machines. Knows no database and no framework. */
export { createGateway } from './gateway.js'
export type {
  Gateway,
  GatewayOptions,
  Identity,
  GrantRejection,
  RedeemedTerminalGrant,
} from './types.js'
