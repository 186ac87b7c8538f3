/** What other domains may use of billing. */
export { findBill, billTitle } from '#billing/queries/bills'
