import Subscription, { type SubscriptionSubject } from '#catalog/models/subscription'

/** Returns the running or latest subscription of a resource, or `null` if there was none. */
export function findSubscription({ type, id }: SubscriptionSubject): Promise<Subscription | null> {
  return Subscription.query()
    .where({ subjectType: type, subjectId: id })
    .preload('packageVersion')
    .orderBy('id', 'desc')
    .first()
}
