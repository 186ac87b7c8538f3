/**
 * The mail service accepts mail from customers' programs, delivers it and receives bounces. It does
 * not import the console.
 */
export { startMailService } from './service.js'
export type { MailServiceOptions, MailService } from './service.js'
