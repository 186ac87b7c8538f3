/**
 * Types of billing for the pages of other modules. Pages cannot import `public.ts`, because it imports server
 * code.
 */
export type { BillStatus } from '#billing/statuses'
export type { TransferMatch } from '#billing/transformers/statements'
