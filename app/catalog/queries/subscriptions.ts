import Subscription, { type SubscriptionSubject } from '#catalog/models/subscription'

/** What a thing is billed by, or was last; null where it never was. */
export function findSubscription({ type, id }: SubscriptionSubject): Promise<Subscription | null> {
  return Subscription.query()
    .where({ subjectType: type, subjectId: id })
    .preload('packageVersion')
    .orderBy('id', 'desc')
    .first()
}
