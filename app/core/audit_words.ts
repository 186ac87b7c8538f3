/** What the log says of each action; `{}` is the name of the thing. */
export const auditWords = {
  'operation.retried': 'Retried stuck work: {}',
  'operation.given_up': 'Ended stuck work: {}',
  'alert.silenced': 'Silenced the alert {}',
  'alert.unsilenced': 'Ended the silence of the alert {}',
  'alert.settings': 'Changed who is told of alerts',
  'alert.secret': 'Made a new secret for the webhook of alerts',
  'mails.update': 'Changed how mails look',
  'mails.words': 'Changed the words of mail {}',
}
