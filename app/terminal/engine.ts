/** The terminal gateway, for its own process. */
export { createTerminalGateway } from '#terminal/gateway'
