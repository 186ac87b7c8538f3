export const auditMessages = {
  'terminal.open': 'Opened a terminal on the machine {}',
  'terminal.close': 'Closed a terminal on the machine {}',
  'terminal.refuse': 'Was not allowed to open a terminal on the machine {}',
}
