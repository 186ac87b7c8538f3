import { appUrl } from '#config/app'
import { memberRoles, type MemberRole } from '#core/contracts/actor'
import { defineMailKind } from '#core/mail/mail_kinds'
import type { MailMessage } from '#core/mail/render_mail'

const INVITATION_FOOTNOTE =
  'The invitation expires after 7 days. If you do not want to join, ignore this email.'

const invitation = defineMailKind({
  name: 'accounts.invitation',
  label: 'Invitation to an account',
  subject: 'You are invited to {account} at {brand}',
  intro: '{inviter} has invited you to the account "{account}" as {role}.',
  placeholders: { inviter: 'Ada', account: 'Harbour Shop', role: 'Developer' },
  sample: {
    title: 'You are invited',
    button: { label: 'View invitation', href: `${appUrl}/invitation/…` },
    footnote: INVITATION_FOOTNOTE,
  },
})

export function invitationMail(
  to: string,
  { id, account, inviter, role }: { id: string; account: string; inviter: string; role: MemberRole }
): MailMessage {
  return {
    to,
    kind: invitation,
    values: { account, inviter, role: memberRoles[role] },
    title: 'You are invited',
    paragraphs: ['Sign in or register with this email address.'],
    button: { label: 'View invitation', href: `${appUrl}/invitation/${id}` },
    footnote: INVITATION_FOOTNOTE,
  }
}

const accountStatusMail = defineMailKind({
  name: 'accounts.standing',
  label: 'An account was suspended or resumed',
  subject: '{change} at {brand}',
  intro: '{change}.',
  placeholders: { change: 'The account "Harbour Shop" is suspended' },
  sample: {
    title: 'The account "Harbour Shop" is suspended',
    details: [['Reason', 'A bill was not paid']],
    button: { label: 'Open the account', href: appUrl },
  },
})

/** @param reason why the account was suspended; `null` if it was resumed */
export function suspensionChangeMail(
  to: string,
  title: string,
  reason: string | null
): MailMessage {
  return {
    to,
    kind: accountStatusMail,
    // Email templates that staff saved earlier may use `what`, the old name of the placeholder
    // `change`.
    values: { change: title, what: title },
    title,
    ...(reason && { details: [['Reason', reason]] satisfies MailMessage['details'] }),
    paragraphs: [
      reason === null
        ? 'Everything that the suspension stopped starts again.'
        : 'You can still view everything and pay bills.',
    ],
    button: { label: 'Open the account', href: appUrl },
  }
}

export const mails = [invitation, accountStatusMail]
