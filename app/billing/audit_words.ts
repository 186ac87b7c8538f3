/** What the log says of each action; `{}` is the name of the thing. */
export const auditWords = {
  'bill.pay': 'Claimed a payment of bill {}',
  'bill.approve': 'Approved the payment of bill {}',
  'bill.reject': 'Rejected the payment of bill {}',
  'bill.credit': 'Wrote a credit note on bill {}',
  'bill.write_off': 'Wrote off bill {}',
  'bill.intake': 'Took in bill {}',
  'bill.mail_created': 'Sent the mail “Created” of bill {}',
  'bill.mail_reminder': 'Sent the mail “Reminder” of bill {}',
  'bill.mail_overdue': 'Sent the mail “Overdue” of bill {}',
  'bill.mail_payment_received': 'Sent the mail “Payment received” of bill {}',
  'bill.mail_payment_approved': 'Sent the mail “Payment approved” of bill {}',
  'bill.mail_payment_rejected': 'Sent the mail “Payment rejected” of bill {}',
  'billing_run.start': 'Started the billing {}',
  'credit.refund': 'Paid out the credit of {}',
  'dollar_rate.store': 'Set the dollar rate {}',
  'billing.update': 'Changed the settings of {}',
}
