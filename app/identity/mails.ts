import { appUrl } from '#config/app'
import type { Audience } from '#core/contracts/actor'
import { defineMailKind } from '#core/mail/mail_kinds'
import type { MailMessage } from '#core/mail/render_mail'
import { buildUnlockLink } from '#identity/actions/known_browsers'

export type CodePurpose = 'sign_up' | 'staff_password' | 'address'

const NOT_REQUESTED_FOOTNOTE =
  'If you did not request this code, ignore this email. Never share the code with anyone.'

const code = defineMailKind({
  name: 'identity.code',
  label: 'One-time code',
  subject: '{code} is your {brand} code',
  intro:
    'Enter this code to {use}. It works once, within {minutes} minutes, and only in the browser that requested it.',
  placeholders: {
    code: '123456',
    use: 'choose a password and sign in',
    minutes: '10',
  },
  sample: { title: 'Your code', code: '123456', footnote: NOT_REQUESTED_FOOTNOTE },
})

/** The text does not depend on whether the address has an account. */
export function codeMail(
  purpose: CodePurpose,
  audience: Audience,
  to: string,
  digits: string,
  minutes: number
): MailMessage {
  const use = purpose === 'address' ? 'confirm this address' : 'choose a password and sign in'
  return {
    to,
    kind: code,
    values: { code: digits, use, minutes: String(minutes) },
    secret: { until: new Date(Date.now() + minutes * 60_000), subject: 'Your code' },
    title: 'Your code',
    code: digits,
    paragraphs: [
      `If that browser says "Too many attempts", open this link in it first:\n${buildUnlockLink(audience, to)}`,
    ],
    footnote: NOT_REQUESTED_FOOTNOTE,
  }
}

const change = defineMailKind({
  name: 'identity.change',
  label: 'The password or email of an account was changed',
  subject: '{change} at {brand}',
  intro: '{change}.',
  placeholders: { change: 'Your password was changed' },
  sample: { title: 'Your password was changed', footnote: 'If this was not you, …' },
})

export function changeNoticeMail(to: string, what: string, audience: Audience): MailMessage {
  const page = audience === 'staff' ? '/admin/login' : '/login'
  return {
    to,
    kind: change,
    // `what` is an earlier name of the placeholder `change`. Texts that staff saved may still contain it.
    values: { change: what, what },
    title: what,
    footnote: `If this was not you, open ${appUrl}${page}, choose "Forgot Password" and set a new password. This signs out all browsers.`,
  }
}

const staffInvitation = defineMailKind({
  name: 'identity.invitation',
  label: 'Invitation to staff',
  subject: 'You are invited to the {brand} console',
  intro: '{inviter} has invited you to the {brand} console ({role}).',
  placeholders: { inviter: 'Ada', role: 'support' },
  sample: {
    title: 'You are invited',
    button: { label: 'Choose a password', href: `${appUrl}/admin/login` },
  },
})

/** The person chooses a password in the same way as after "Forgot Password", where a code proves their address. */
export function staffInvitationMail(to: string, inviter: string, role: string): MailMessage {
  return {
    to,
    kind: staffInvitation,
    values: { inviter, role },
    title: 'You are invited',
    paragraphs: ['Enter this email address. We then send you a code to set your password.'],
    button: { label: 'Choose a password', href: `${appUrl}/admin/login?action=invited` },
  }
}

export const mails = [code, change, staffInvitation]
