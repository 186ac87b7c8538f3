export const auditMessages = {
  'operation.retried': 'Retried a stuck operation: {}',
  'operation.given_up': 'Ended a stuck operation: {}',
  'operation.dismissed': 'Dismissed failed operations: {}',
  'alert.silenced': 'Silenced the alert {}',
  'alert.unsilenced': 'Ended the silence of the alert {}',
  'alert.settings': 'Changed the notification channels of alerts',
  'alert.secret': 'Created a new secret for the alert webhook',
  'mails.update': 'Changed the design of emails',
  'mails.words': 'Changed the text of email {}',
}
