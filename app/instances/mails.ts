import { appUrl } from '#config/app'
import type { Letter } from '#core/mail/letter'
import { defineMail } from '#core/mail/kinds'

const ADVICE =
  'Files in /dev/shm and /run count as memory, too. Stop what needs so much, or choose a larger package.'

const memoryFull = defineMail({
  name: 'instances.memory_full',
  label: 'A server instance ran out of memory',
  subject: '{instance} ran out of memory',
  intro:
    'The memory of your server instance {instance} was full at {time}, so that its operating system was ended. It was started again.',
  placeholders: { instance: 'web', time: '2026-11-27 07:10 UTC' },
  sample: {
    title: 'web ran out of memory',
    paragraphs: [ADVICE],
    button: { label: 'See the instance', href: `${appUrl}/server-instance/…` },
  },
})

/** Tells a customer why an instance was restarted. */
export function memoryFullMail(
  to: string,
  { id, name, time }: { id: number; name: string; time: string }
): Letter {
  return {
    to,
    kind: memoryFull,
    values: { instance: name, time },
    title: `${name} ran out of memory`,
    paragraphs: [ADVICE],
    button: { label: 'See the instance', href: `${appUrl}/server-instance/${id}` },
  }
}

export const mails = [memoryFull]
