/**
 * Connects terminals in browsers to shells on machines. This package depends on neither the database nor the web
 * framework.
 */
export { createGateway } from './gateway.js'
export type {
  Gateway,
  GatewayOptions,
  SignedInSession,
  GrantRejection,
  RedeemedTerminalGrant,
} from './types.js'
