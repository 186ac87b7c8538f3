/** Takes mail of customers' programs in, brings it out and takes what comes back. Knows no console. */
export { startMailService } from './service.js'
export type { MailServiceOptions, MailService } from './service.js'
