import { appUrl } from '#config/app'
import type { Audience } from '#core/contracts/actor'
import type { Mail } from '#core/mail/mail'
import { freeingLink } from '#identity/actions/browsers'

export type CodePurpose = 'sign_up' | 'staff_password' | 'address'

/** A one-time code; the same words whether or not the address has an account. */
export function codeMail(
  purpose: CodePurpose,
  audience: Audience,
  to: string,
  code: string,
  minutes: number
): Mail {
  const use =
    purpose === 'address' ? 'confirm this address' : 'choose a password and sign in to Berth'
  return {
    to,
    subject: `${code} is your Berth code`,
    secret: { until: new Date(Date.now() + minutes * 60_000), subject: 'Your Berth code' },
    text: [
      `${code}`,
      '',
      `Enter this code to ${use}. It works once, for ${minutes} minutes, in the browser that asked for it.`,
      '',
      'If that browser says "Too many tries", open this link in it first:',
      freeingLink(audience, to),
      '',
      'If you did not ask for it, do nothing: without the code nobody gets in. Never tell it to anyone.',
      '',
      appUrl,
    ].join('\n'),
  }
}

/** Tells a person about a change to their account. */
export function changeMail(to: string, what: string, audience: Audience): Mail {
  const page = audience === 'staff' ? '/admin/login' : '/login'
  return {
    to,
    subject: `${what} at Berth`,
    text: [
      `${what}.`,
      '',
      `If this was not you, open ${appUrl}${page}, choose "Forgot Password" and set a new password; that signs every browser out.`,
    ].join('\n'),
  }
}

/** An invitation to staff; the code of "Forgot password" proves the address. */
export function invitationMail(to: string, inviter: string, role: string): Mail {
  const inviterLine = inviter.replace(/[\r\n]+/g, ' ')
  return {
    to,
    subject: 'You are invited to the Berth console',
    text: [
      `${inviterLine} has invited you to the Berth console (${role}).`,
      '',
      `Open ${appUrl}/admin/login?action=invited, enter this address and choose a password with the code that we then send you.`,
    ].join('\n'),
  }
}
