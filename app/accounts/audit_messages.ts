export const auditMessages = {
  'account.rename': 'Renamed account {}',
  'account.suspend': 'Suspended account {}',
  'account.resume': 'Resumed account {}',
  'account.sign_out': 'Signed out all members of account {}',
  'account.note': 'Added a note to account {}',
  'member.invite': 'Sent an invitation to account {}',
  'member.withdraw': 'Revoked an invitation to account {}',
  'member.join': 'Joined account {}',
  'member.decline': 'Declined an invitation to account {}',
  'member.update': 'Changed the role of a member of account {}',
  'member.leave': 'Left account {}',
  'member.remove': 'Removed a member of account {}',
}
