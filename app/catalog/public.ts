/** What other domains may use of the catalogue. */
export { agree, holdOffer, priceFor } from '#catalog/actions/sell'
export {
  endSubscription,
  moveSubscription,
  startSubscription,
} from '#catalog/actions/subscriptions'
export { recordUsage, type Usage } from '#catalog/actions/record_usage'
export { default as UsageEvent } from '#catalog/models/usage_event'
export { default as PackageVersion } from '#catalog/models/package_version'
export {
  type BillingPeriod,
  default as ServerPackage,
  type InstanceType,
  type Price,
  type Specifications,
} from '#catalog/models/server_package'
export { offeredPackages } from '#catalog/queries/packages'
export { subscriptionOf } from '#catalog/queries/subscriptions'
export { currentVersion } from '#catalog/queries/versions'
export { allocatedDisk, type Allocation, allocationOf } from '#catalog/allocation'
export { sellThings, soldDelivered, soldName } from '#catalog/sold_things'
export { stock } from '#catalog/stock'
export {
  type Offer,
  type OfferView,
  offerView,
  packageView,
  type PackageView,
} from '#catalog/transformers/package'
export { type SubscriptionView, subscriptionView } from '#catalog/transformers/subscription'
