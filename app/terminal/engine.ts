/** For the gateway's own process. */
export { createTerminalGateway } from '#terminal/gateway'
