/** What the log says of each action; `{}` is the name of the thing. */
export const auditWords = {
  'account.rename': 'Renamed account {}',
  'account.suspend': 'Suspended account {}',
  'account.resume': 'Resumed account {}',
  'account.sign_out': 'Signed everybody of account {} out',
  'account.note': 'Wrote a note on account {}',
  'member.invite': 'Invited somebody to account {}',
  'member.withdraw': 'Withdrew an invitation to account {}',
  'member.join': 'Joined account {}',
  'member.decline': 'Declined an invitation to account {}',
  'member.update': 'Changed the role of a member of account {}',
  'member.leave': 'Left account {}',
  'member.remove': 'Removed a member of account {}',
}
