import { controlHandler, type ControlHandlers } from '#packages/service/control_handler'
import type {
  ControlApi,
  DailyMailUsage,
  DomainInfo,
  MessageDetails,
  SystemMessage,
  ReplyMailEntry,
  SenderInfo,
  SuppressionEntry,
  TableSize,
  WebhookEntry,
} from '#packages/mail-service/control/contract'
import type { SenderState } from '#packages/mail-service/types'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

interface FakeSender {
  accountId: number
  email: string
  secret: string
  info: SenderInfo
  messages: MessageDetails[]
  suppressions: SuppressionEntry[]
  webhooks: WebhookEntry[]
}

/** An in-memory mail service that implements the control API and sends nothing. */
export interface FakeMailService {
  url: string
  key: string
  senders: Map<number, FakeSender>
  domains: Map<number, DomainInfo>
  /** Usage per past day, as the fake service reports it. */
  closed: DailyMailUsage[]
  own: SystemMessage[]
  replies: ReplyMailEntry[]
  tables: TableSize[]
  out: 'relay' | 'none'
  /** Called before the service creates or changes a sender. */
  onSenderCall?(call: 'make' | 'change'): Promise<void>
  figures: ControlApi['figures']['output']
  stop(): Promise<void>
}

/** An error that the fake service sends as its response. */
class No extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

export async function startFakeMailService(): Promise<FakeMailService> {
  const key = randomUUID()
  const fake: Omit<FakeMailService, 'url' | 'stop'> = {
    key,
    senders: new Map(),
    domains: new Map(),
    closed: [],
    own: [],
    replies: [],
    tables: [],
    out: 'relay',
    figures: {
      waiting: 0,
      oldestDue: 0,
      today: { accepted: 0, delivered: 0, bounced: 0, complained: 0 },
    },
  }
  const handle = controlHandler<ControlApi>({
    handlers: handlersOf(fake),
    key,
    tooLarge: () => new No(413, 'too_large', 'Too large.'),
  })
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.url === '/send-mail') {
        const sender = [...fake.senders.values()].find(
          ({ secret }) => secret === request.headers['x-secret-key']
        )
        if (!sender) throw new No(401, 'unknown', 'The secret key is wrong.')
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const mail = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
        sender.messages.unshift(messageOf(mail.recipient_email, mail.subject, mail.mail_body))
        response.end(JSON.stringify({ success: true, message: 'Accepted.' }))
        return
      }
      await handle(request, response, request.url!.replace('/control/', ''))
    }
    answer().catch((error: Partial<No>) => {
      response.writeHead(error.status ?? 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: error.code, message: error.message }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(fake, {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

/** Returns a message in the state `queued`. */
export function messageOf(recipient: string, subject: string, html: string): MessageDetails {
  const now = new Date().toISOString()
  return {
    id: randomUUID(),
    state: 'queued',
    recipient,
    subject,
    tags: [],
    at: now,
    nextAt: now,
    attempts: 1,
    reason: '451 Try later',
    enhanced: '4.7.1',
    messageId: `<${randomUUID()}@example.com>`,
    senderName: 'Shop',
    recipientName: 'Ann',
    size: 1_200,
    text: 'Hello',
    html,
    attachments: [],
    events: [],
    history: [
      {
        at: now,
        outcome: 'deferred',
        host: 'mx.example.com [192.0.2.7]',
        tls: 'TLSv1.3',
        code: 451,
        enhanced: '4.7.1',
        answer: '451 4.7.1 Try later',
        took: 312,
      },
    ],
  }
}

function handlersOf(fake: Omit<FakeMailService, 'url' | 'stop'>): ControlHandlers<ControlApi> {
  const found = (id: number): FakeSender => {
    const sender = fake.senders.get(id)
    if (!sender) throw new No(404, 'not_found', 'This sender does not exist.')
    return sender
  }
  const domainOf = (id: number): DomainInfo => {
    const domain = fake.domains.get(id)
    if (!domain) throw new No(404, 'not_found', 'This domain does not exist.')
    return domain
  }
  const messageIn = (senderId: number, id: string): MessageDetails => {
    const message = found(senderId).messages.find((one) => one.id === id)
    if (!message) throw new No(404, 'not_found', 'This message does not exist.')
    return message
  }
  const page = <T>(all: T[], { limit, offset }: { limit: number; offset: number }) =>
    all.slice(offset, offset + limit)
  const newKey = (state: 'active' | 'next') => ({
    selector: `b${randomUUID().slice(0, 6)}`,
    state,
    record: `v=DKIM1; k=rsa; p=${randomUUID().replaceAll('-', '')}`,
    createdAt: new Date().toISOString(),
  })

  return {
    ways: async () => ({
      out: fake.out,
      problem: fake.out === 'none' ? 'No relay is set.' : null,
      submission: { host: '127.0.0.1', port: 587 },
      waiting: 0,
      oldestDue: 0,
      replies: 'reply@mail.berth.test',
    }),
    figures: async () => fake.figures,
    replies: async () => fake.replies.slice(0, 2),
    async forgetReplies({ ids }) {
      fake.replies = fake.replies.filter(({ id }) => !ids.includes(id))
      return {}
    },
    async makeSender({ id, accountId, email }) {
      await fake.onSenderCall?.('make')
      const known = fake.senders.get(id)
      if (known) return { secret: known.secret }
      const secret = randomUUID()
      fake.senders.set(id, {
        accountId,
        email,
        secret,
        messages: [],
        suppressions: [],
        webhooks: [],
        info: {
          id,
          state: 'active',
          hourlyLimit: 1_000,
          trackOpens: false,
          waiting: 0,
          scheduled: 0,
          month: { accepted: 3, delivered: 2, bounced: 1, complained: 0 },
        },
      })
      return { secret }
    },
    async changeSender({ id, ...change }) {
      await fake.onSenderCall?.('change')
      const { info } = found(id)
      if (info.state === ('deleted' as SenderState)) throw new No(409, 'deleted', 'It is deleted.')
      Object.assign(info, change)
      return {}
    },
    senders: async ({ ids }) => ids.flatMap((id) => fake.senders.get(id)?.info ?? []),
    async rotateSecret({ id }) {
      const sender = found(id)
      sender.secret = randomUUID()
      return { secret: sender.secret }
    },
    sentCounts: async ({ ids }) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const sender = fake.senders.get(id)
          const month = new Date().toISOString().slice(0, 7)
          return sender ? [[id, { [month]: sender.info.month.accepted }]] : []
        })
      ),
    async usage({ id, to }) {
      const { accountId } = found(id)
      const counts = { accepted: 3, delivered: 2, bounced: 1, complained: 0, opened: 0 }
      return [{ senderId: id, accountId, day: to, ...counts }]
    },
    tables: async () => fake.tables,
    closedDays: async ({ after }) =>
      fake.closed.filter(
        ({ day, senderId }) => day > after.day || (day === after.day && senderId > after.senderId)
      ),
    async messages({ senderId, state, search = '', ...range }) {
      const all = found(senderId).messages.filter(
        (one) =>
          (!state || one.state === state) &&
          `${one.recipient} ${one.subject} ${one.id}`.includes(search)
      )
      return { messages: page(all, range), count: all.length }
    },
    message: async ({ senderId, id }) => messageIn(senderId, id),
    async cancelMessage({ senderId, id }) {
      const message = messageIn(senderId, id)
      const can = message.state === 'queued' || message.state === 'scheduled'
      if (can) message.state = 'cancelled'
      return { cancelled: can }
    },
    retryMessage: async ({ senderId, id }) => ({
      retried: messageIn(senderId, id).state === 'queued',
    }),
    async suppressions({ senderId, search = '', ...range }) {
      const all = found(senderId).suppressions.filter((one) => one.recipient.includes(search))
      return { suppressions: page(all, range), count: all.length }
    },
    async suppress({ senderId, recipient, detail }) {
      const entry = { recipient, detail, reason: 'by_hand' as const, messageId: null }
      found(senderId).suppressions.push({ ...entry, at: new Date().toISOString() })
      return {}
    },
    async unsuppress({ senderId, recipient }) {
      const sender = found(senderId)
      sender.suppressions = sender.suppressions.filter((one) => one.recipient !== recipient)
      return {}
    },
    async makeDomain({ id, domain }) {
      const known = fake.domains.get(id)
      if (known) return known
      const made: DomainInfo = {
        id,
        domain,
        state: 'pending',
        keys: [newKey('active')],
        records: [
          {
            purpose: 'spf',
            type: 'TXT',
            name: domain,
            value: 'v=spf1 include:spf.berth.test ~all',
          },
          { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' },
          {
            purpose: 'return_path',
            type: 'MX',
            name: `bounce.${domain}`,
            value: '10 mail.berth.test',
          },
        ],
      }
      fake.domains.set(id, made)
      return made
    },
    domain: async ({ id }) => domainOf(id),
    changeDomain: async ({ id, state }) => Object.assign(domainOf(id), { state }),
    async nextDkim({ id }) {
      const domain = domainOf(id)
      if (!domain.keys.some(({ state }) => state === 'next')) domain.keys.push(newKey('next'))
      return domain
    },
    async switchDkim({ id }) {
      const domain = domainOf(id)
      for (const one of domain.keys) one.state = one.state === 'next' ? 'active' : 'retired'
      return domain
    },
    webhooks: async ({ senderId }) => found(senderId).webhooks,
    async makeWebhook({ senderId, url, events }) {
      const sender = found(senderId)
      const id = sender.webhooks.length + 1
      sender.webhooks.push({ id, url, events, active: true, waiting: 0, failed: 0 })
      return { id, secret: randomUUID() }
    },
    async changeWebhook({ senderId, id, ...change }) {
      const webhook = found(senderId).webhooks.find((one) => one.id === id)
      if (!webhook) throw new No(404, 'not_found', 'This webhook does not exist.')
      Object.assign(webhook, change)
      return {}
    },
    async removeWebhook({ senderId, id }) {
      const sender = found(senderId)
      sender.webhooks = sender.webhooks.filter((one) => one.id !== id)
      return {}
    },
    deliveries: async () => ({ deliveries: [], count: 0 }),
    resendDelivery: async () => ({}),
    async sendOwn({ messages }) {
      for (const message of messages) {
        if (!fake.own.some(({ key }) => key === message.key)) fake.own.push(message)
      }
      return { ids: messages.map(() => randomUUID()) }
    },
  }
}
