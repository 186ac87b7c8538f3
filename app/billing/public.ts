/** The billing functions for other modules. */
export {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
export { claimExternalPayment, importExternalBill } from '#billing/actions/external_bills'
export type { Requester } from '#billing/actions/with_locked_bill'
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
export { billStatuses } from '#billing/statuses'
export { paymentRejectionValidator } from '#billing/validators/bills'
export {
  decimalSchema,
  lineSchema,
  mobileAccountSchema,
  referenceSchema,
  transactionIdSchema,
} from '#billing/validators/fields'
