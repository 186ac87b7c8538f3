import { appUrl } from '#config/app'
import { defineMailKind } from '#core/mail/mail_kinds'
import type { MailMessage } from '#core/mail/render_mail'
import { DOMAIN_GRACE_DAYS, LINK_LIFETIME_HOURS } from '#mail/limits'

const LINK_FOOTNOTE = `The link works once, within ${LINK_LIFETIME_HOURS} hours. If you did not request this, ignore this email. Nobody can send from your address unless you open the link.`

const verification = defineMailKind({
  name: 'mail.verification',
  label: 'Confirmation of a sender address',
  subject: 'Confirm {email} for sending email with {brand}',
  intro: '{person} wants to send email from {email} with the account "{account}".',
  placeholders: { person: 'Ada', email: 'orders@example.com', account: 'Harbour Shop' },
  sample: {
    title: 'Confirm this address',
    button: { label: 'Confirm address', href: `${appUrl}/email/verify/…` },
    footnote: LINK_FOOTNOTE,
  },
})

export function verificationMail(
  to: string,
  { token, account, person, until }: { token: string; account: string; person: string; until: Date }
): MailMessage {
  return {
    to,
    kind: verification,
    values: { person, email: to, account },
    secret: { until, subject: `Confirm ${to} for sending email` },
    title: 'Confirm this address',
    button: { label: 'Confirm address', href: `${appUrl}/email/verify/${token}` },
    footnote: LINK_FOOTNOTE,
  }
}

const broken = defineMailKind({
  name: 'mail.broken_domain',
  label: 'DNS records of a mail domain are wrong',
  subject: 'The DNS records of {domain} are wrong',
  intro:
    'The DNS records of {domain} are no longer correct. Email is still sent, but not signed with your domain, so more of it may be marked as spam.',
  placeholders: { domain: 'example.com' },
  sample: {
    title: 'The DNS records of example.com are wrong',
    button: { label: 'View records', href: `${appUrl}/email/domain/…` },
  },
})

export function brokenDomainMail(
  to: string,
  { id, domain }: { id: number; domain: string }
): MailMessage {
  return {
    to,
    kind: broken,
    values: { domain },
    title: `The DNS records of ${domain} are wrong`,
    paragraphs: [
      `If you do not fix them within ${DOMAIN_GRACE_DAYS} days, you must verify each address of the domain again, with a link that we email to it.`,
    ],
    button: { label: 'View records', href: `${appUrl}/email/domain/${id}` },
  }
}

export const mails = [verification, broken]
