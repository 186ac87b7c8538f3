export const auditMessages = {
  'terminal.open': 'Opened a terminal on {}',
  'terminal.close': 'Closed a terminal on {}',
  'terminal.refuse': 'Was not allowed to open a terminal on {}',
}
