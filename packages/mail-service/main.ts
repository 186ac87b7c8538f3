/**
 * Accepts mail from customers' programs, delivers it and receives bounces. This package imports no code of the console
 * (Berth's web application).
 */
export { startMailService } from './service.js'
export type { MailServiceOptions, MailService } from './service.js'
