/** Connects terminals in browsers to shells on machines. Independent of the database and the web framework. */
export { createGateway } from './gateway.js'
export type {
  Gateway,
  GatewayOptions,
  SignedInSession,
  GrantRejection,
  RedeemedTerminalGrant,
} from './types.js'
