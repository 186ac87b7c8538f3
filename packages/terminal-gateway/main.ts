export type { Gateway, GatewayOptions, Identity, Refusal, Session } from './types.js'
