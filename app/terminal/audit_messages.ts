/** What the log says of each action; `{}` is the name of the thing. */
export const auditMessages = {
  'terminal.open': 'Opened a terminal on {}',
  'terminal.close': 'Closed a terminal on {}',
  'terminal.refuse': 'Was refused a terminal on {}',
}
