import { getBill, billTitle } from '#billing/public'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { Actor } from '#core/contracts/actor'
import { AppError } from '#core/app_error'
import { getInstanceEvenIfDeleted } from '#instances/public'
import { getSender } from '#mail/public'
import { getProject } from '#projects/public'
import { getVault } from '#vault/public'

/**
 * A link to the page from which the customer wrote, with the status that the page's resource had
 * then.
 */
export interface ContextLink {
  page: string
  name: string
  status: string
}

type Find = (actor: Actor, id: string) => Promise<Omit<ContextLink, 'page'>>

/** Functions that load the resource of a page, by the first segment of the page's path. */
const subjects: Record<string, Find> = {
  'server-instance': getInstanceEvenIfDeleted,
  project: getProject,
  vault: getVault,
  async email(actor, id) {
    const { email: name, status } = await getSender(actor, id)
    return { name, status }
  },
  async billing(actor, id) {
    const bill = await getBill(actor, id, 'console')
    return { name: billTitle(bill, await loadDollarRate()), status: bill.status }
  },
}

/**
 * Returns null for pages without a resource in `subjects`. Also returns null if the customer has no
 * access to the resource, because staff will open the link.
 */
export async function findContextLink(actor: Actor, address: string): Promise<ContextLink | null> {
  const named = /^\/([a-z-]+)\/(\d{1,15})(?=[/?#]|$)/.exec(address)
  if (!named || !Object.hasOwn(subjects, named[1])) return null
  const [page, noun, id] = named
  try {
    const { name, status } = await subjects[noun](actor, id)
    return { page, name, status }
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
