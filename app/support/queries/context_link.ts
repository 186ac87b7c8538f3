import { getBill, billTitle } from '#billing/public'
import type { Actor } from '#core/contracts/actor'
import { AppError } from '#core/app_error'
import { getInstanceEvenIfDeleted } from '#instances/public'
import { getSender } from '#mail/public'
import { getProject } from '#projects/public'
import { getVault } from '#vault/public'

/** A page of one thing, and what it showed when somebody asked about it. */
export interface ContextLink {
  page: string
  name: string
  status: string
}

type Find = (actor: Actor, id: string) => Promise<Omit<ContextLink, 'page'>>

/** What pages are about, by how their addresses begin. */
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
    return { name: billTitle(bill), status: bill.status }
  },
}

/** What a customer's page shows; null where it is about no one thing, or nothing of theirs: staff would follow it. */
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
