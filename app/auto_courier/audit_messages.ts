export const auditMessages = {
  'bill.tell_again': 'Resent the decision on bill {} to Auto Courier',
  'billing.courier_secret': 'Created a new secret for {}',
  'billing.courier_address': 'Changed the webhook address of {}',
}
