export { createTerminalGateway } from '#terminal/gateway'
