import { randomUUID } from 'node:crypto'
import { domainHandlers } from '../dkim/domain_handlers.js'
import { DkimKeys } from '../dkim/keys.js'
import { Signer } from '../dkim/signer.js'
import { suppressionHandlers } from '../events/suppression_handlers.js'
import { createMessageLinkHandler } from '../events/message_links.js'
import { startInboundMail } from '../inbound/main.js'
import { replyAddress, replyMailHandlers } from '../inbound/reply_mails.js'
import type { OutgoingMailService, OutgoingDeps } from '../outgoing_mail_types.js'
import { startUpkeep } from '../upkeep/main.js'
import { webhookHandlers } from '../webhooks/control_handlers.js'
import { startWebhooks } from '../webhooks/webhook_dispatcher.js'
import { MessageClaims } from './message_claims.js'
import { DeliveryDispatcher } from './dispatcher.js'
import { ContentLoader, MessagePreparer } from './prepare_messages.js'
import { MtaStsPolicies } from './mta_sts.js'
import { createSystemResolver } from './dns.js'
import { OutcomeWriter } from './outcome_writer.js'
import { parseRelayUrl, resolveMailRoute } from './mail_route.js'

const LEASE_SECONDS = 60
const DATABASE_CONNECTIONS = 10

export async function startOutgoingMail({
  database,
  seal,
  options,
  log,
}: OutgoingDeps): Promise<OutgoingMailService> {
  const { host, relayUrl, key, publicUrl, allowPrivate = false, now = () => new Date() } = options
  const {
    lease = LEASE_SECONDS,
    connections = DATABASE_CONNECTIONS,
    names = createSystemResolver(),
    port,
  } = options
  const keys = new DkimKeys(database, seal, host)
  await keys.begin()
  const webhooks = startWebhooks({ database, seal, allowPrivate, now, log })
  const eventOptions = { now, onHooked: () => webhooks.wake() }
  const warn = (msg: string) => (error: unknown) => log({ level: 40, msg, err: String(error) })

  const signer = new Signer()
  const drain = relayUrl || host ? startDrain() : undefined
  const inbound = await startInboundMail({ database, options, names, eventOptions, log })
  const upkeep = startUpkeep({ database, now, log })

  function startDrain(): DeliveryDispatcher {
    const token = randomUUID()
    const policies = new MtaStsPolicies(names, now)
    const way = { names, policies, allowPrivate, ...(port && { port }) }
    const onError = warn('results of delivery attempts could not be saved')
    return new DeliveryDispatcher({
      claims: new MessageClaims(database, token, lease, now),
      outcomes: new OutcomeWriter(database, token, { ...eventOptions, onError }),
      letters: new MessagePreparer({ contents: new ContentLoader(database), keys, signer, key }),
      connections,
      now,
      log,
      lease: lease * 1_000,
      ...(relayUrl && { relay: parseRelayUrl(relayUrl) }),
      ...(host && { host }),
      route: (destination) => resolveMailRoute(destination, way),
    })
  }

  return {
    wake: () => drain?.wake(),
    ...(inbound && { inboundPort: inbound.port }),
    async stop() {
      await Promise.all([drain?.stop(), inbound?.stop(), upkeep.stop()])
      await Promise.all([webhooks.stop(), signer.stop()])
    },
    handlers: {
      ...domainHandlers({ database, keys, names, host }),
      ...suppressionHandlers(database),
      ...replyMailHandlers(database),
      ...webhookHandlers({ database, seal, wake: () => webhooks.wake() }),
    },
    http: createMessageLinkHandler({ database, key, publicUrl, eventOptions }),
    ways() {
      const replies = replyAddress(options)
      if (relayUrl) return { out: 'relay', problem: null, replies }
      if (host) return { out: 'direct', problem: null, replies }
      return { out: 'none', problem: 'Neither SMTP_URL nor MAIL_HOST is set.', replies }
    },
  }
}
