import { appUrl } from '#config/app'
import type { Mail } from '#core/mail/mail'
import { DOMAIN_GRACE_DAYS, LINK_HOURS } from '#mail/limits'

const line = (text: string) => text.replace(/[\r\n]+/g, ' ')

/** Proves that who asked reads the mail of an address. */
export function verificationMail(
  to: string,
  { token, account, person, until }: { token: string; account: string; person: string; until: Date }
): Mail {
  return {
    to,
    subject: 'Confirm this address for sending mail with Berth',
    secret: { until, subject: 'Confirm this address for sending mail with Berth' },
    text: [
      `${line(person)} asks to send mail from ${to} with the account "${line(account)}".`,
      '',
      `If that is right, open ${appUrl}/email/verify/${token} and confirm it.`,
      '',
      `The link works once, for ${LINK_HOURS} hours. If you know nothing of this, do nothing: without it nobody can send from your address.`,
    ].join('\n'),
  }
}

/** Tells an owner that a domain's records are wrong. */
export function brokenDomainMail(to: string, { id, domain }: { id: number; domain: string }): Mail {
  return {
    to,
    subject: `The mail records of ${line(domain)} are wrong`,
    text: [
      `The DNS records with which ${domain} sends mail were right and are not any more. Its mail still goes out, but no longer signed as the domain's own, so that more of it may be taken for spam.`,
      '',
      `What is missing: ${appUrl}/email/domain/${id}`,
      '',
      `If it stays so for ${DOMAIN_GRACE_DAYS} days, the addresses that the domain has verified need to be confirmed by a link each.`,
    ].join('\n'),
  }
}
