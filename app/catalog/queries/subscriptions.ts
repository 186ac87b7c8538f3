import Subscription, { type SubscriptionSubject } from '#catalog/models/subscription'

export function findSubscription({ type, id }: SubscriptionSubject): Promise<Subscription | null> {
  return Subscription.query()
    .where({ subjectType: type, subjectId: id })
    .preload('packageVersion')
    .orderBy('id', 'desc')
    .first()
}
