export { registerExternalBillFamily } from '#billing/bill_families'
export { type BillDecision, onBillDecided } from '#billing/decision_hooks'
export { default as Bill } from '#billing/models/bill'
export {
  billListDefinition,
  billsVisibleTo,
  billTitle,
  buildBillsToReviewCountQuery,
  findNextBillIdToReview,
  getBill,
} from '#billing/queries/bills'
export { loadTransferMatches } from '#billing/queries/statements'
export { type BillStatus, billStatuses } from '#billing/statuses'
export type { TransferMatch } from '#billing/transformers/statement_page_props'
export { findReceivedDifference } from '#billing/statements/received_transfers'
export type { ReceivedSumView } from '#billing/transformers/page_props'
export { paymentApprovalValidator, paymentRejectionValidator } from '#billing/validators/bills'
export {
  decimalSchema,
  requiredTextSchema,
  mobileAccountSchema,
  referenceSchema,
  transactionIdSchema,
} from '#billing/validators/fields'
