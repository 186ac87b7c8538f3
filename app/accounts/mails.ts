import { appUrl } from '#config/app'
import type { Mail } from '#core/mail/mail'
import { memberRoles, type MemberRole } from '#core/contracts/actor'

const line = (text: string) => text.replace(/[\r\n]+/g, ' ')

/** The way in; signing in with the address that got it proves who reads it. */
export function invitationMail(
  to: string,
  { id, account, inviter, role }: { id: string; account: string; inviter: string; role: MemberRole }
): Mail {
  return {
    to,
    subject: `You are invited to ${line(account)} at Berth`,
    text: [
      `${line(inviter)} has invited you to the account "${line(account)}" as ${memberRoles[role]}.`,
      '',
      `Open ${appUrl}/invitation/${id} and sign in with this address, or register with it.`,
      '',
      'The invitation can be accepted for 7 days. If you do not want it, do nothing.',
    ].join('\n'),
  }
}

/** Tells the members of an account what staff did with it. */
export function accountMail(to: string, what: string, reason: string | null): Mail {
  return {
    to,
    subject: `${line(what)} at Berth`,
    text: [
      `${what}.`,
      ...(reason ? ['', `Reason: ${reason}`] : []),
      '',
      `Everything in it can still be read and paid: ${appUrl}`,
    ].join('\n'),
  }
}
