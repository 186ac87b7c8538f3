/** Public interface of the terminal module, for the gateway process. */
export { createTerminalGateway } from '#terminal/gateway'
