/** The gateway role is made of this. */
export { createTerminalGateway } from '#terminal/gateway'
