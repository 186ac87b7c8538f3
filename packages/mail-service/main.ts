/**
 * Accepts mail from customers' programs, delivers it and receives bounces. This package does not import the
 * console.
 */
export { startMailService } from './service.js'
export type { MailServiceOptions, MailService } from './service.js'
