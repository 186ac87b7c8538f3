/** What other domains may use of billing. */
export { findBill, titleOf } from '#billing/queries/bills'
