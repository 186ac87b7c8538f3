/** What other domains may use of billing. */
export { getBill, billTitle } from '#billing/queries/bills'
