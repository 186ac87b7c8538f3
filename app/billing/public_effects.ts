export {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
export { reportExternalPayment, importExternalBill } from '#billing/actions/external_bills'
export type { Requester } from '#billing/actions/with_locked_bill'
