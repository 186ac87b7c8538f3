/** Types of billing for the pages of other modules. Pages cannot load `public.ts`: it leads to all of the server. */
export type { BillStatus } from '#billing/statuses'
export type { TransferMatch } from '#billing/transformers/statements'
