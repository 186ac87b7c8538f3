import { auditWords } from '#billing/audit_words'
import { defineDomain } from '#core/domains'

declare module '#core/domains' {
  interface AuditSubjects {
    bill: true
  }
  interface StaffAbilities {
    'bills.decide': true
  }
  interface MemberAbilities {
    'bills.pay': true
  }
}

export default defineDomain({
  name: 'billing',
  auditSubjects: { bill: 'Bills' },
  auditWords,
  staffAbilities: { 'bills.decide': 'Only administrators can decide about bills.' },
  memberAbilities: {
    'bills.pay': {
      roles: ['owner', 'billing'],
      reason: 'Only owners and billing members of the account can pay.',
    },
  },
})
