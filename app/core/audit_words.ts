/** What the log says of each action; `{}` is the name of the thing. */
export const auditWords = {
  'operation.retried': 'Retried stuck work: {}',
  'operation.given_up': 'Ended stuck work: {}',
  'mails.update': 'Changed how mails look',
  'mails.words': 'Changed the words of mail {}',
}
