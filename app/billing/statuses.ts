export const billStatuses = {
  pending: 'Pending',
  processing: 'Processing',
  success: 'Success',
  rejected: 'Rejected',
  deleted: 'Deleted',
} as const

export type BillStatus = keyof typeof billStatuses

/** Types of emails about a bill, in chronological order. */
export const billMailTypes = {
  created: 'Created',
  reminder: 'Reminder',
  overdue: 'Overdue',
  payment_received: 'Payment received',
  payment_approved: 'Payment approved',
  payment_rejected: 'Payment rejected',
} as const

export type BillMailType = keyof typeof billMailTypes
