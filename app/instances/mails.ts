import { appUrl } from '#config/app'
import type { MailMessage } from '#core/mail/render_mail'
import { defineMailKind } from '#core/mail/mail_kinds'

const MEMORY_ADVICE =
  'Files in /dev/shm and /run use memory, too. Stop programs that use much memory, or choose a larger package.'

const memoryFull = defineMailKind({
  name: 'instances.memory_full',
  label: 'A server instance ran out of memory',
  subject: '{instance} ran out of memory',
  intro:
    'Your server instance {instance} ran out of memory at {time}, and its operating system stopped. Berth started it again.',
  placeholders: { instance: 'web', time: '2026-11-27 07:10 UTC' },
  sample: {
    title: 'web ran out of memory',
    paragraphs: [MEMORY_ADVICE],
    button: { label: 'View instance', href: `${appUrl}/server-instance/…` },
  },
})

export function memoryFullMail(
  to: string,
  { id, name, time }: { id: number; name: string; time: string }
): MailMessage {
  return {
    to,
    kind: memoryFull,
    values: { instance: name, time },
    title: `${name} ran out of memory`,
    paragraphs: [MEMORY_ADVICE],
    button: { label: 'View instance', href: `${appUrl}/server-instance/${id}` },
  }
}

export const mails = [memoryFull]
