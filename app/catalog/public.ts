export { assertPriceUnchanged, lockOffer, priceFor } from '#catalog/actions/lock_offer'
export { NO_PRICES_MESSAGE } from '#catalog/errors'
export {
  endSubscription,
  changeSubscriptionVersion,
  startSubscription,
} from '#catalog/actions/subscriptions'
export { recordUsage, type UsageReport } from '#catalog/actions/record_usage'
export { default as UsageEvent } from '#catalog/models/usage_event'
export { default as PackageVersion } from '#catalog/models/package_version'
export {
  type BillingPeriod,
  default as ServerPackage,
  type InstanceType,
  type PackagePrice,
  type Specifications,
} from '#catalog/models/server_package'
export { listOfferedPackages } from '#catalog/queries/offered_packages'
export { findSubscription } from '#catalog/queries/subscriptions'
export { getCurrentPackageVersion } from '#catalog/queries/current_package_version'
export {
  EARLIER_IMAGE_RESERVE_BYTES,
  diskQuotaWithoutImage,
  type Allocation,
  allocationFromSpecifications,
  allocationAfterResize,
} from '#catalog/allocation'
export {
  registerSoldResourceKind,
  soldResourceDeliveredSql,
  soldResourceNameSql,
} from '#catalog/sold_resources'
export { packageAvailabilityProvider } from '#catalog/package_availability_provider'
export {
  type PackageWithAvailability,
  type PackageWithAvailabilityView,
  packageWithAvailabilityView,
  packageView,
  type PackageView,
} from '#catalog/transformers/package'
export { type SubscriptionView, subscriptionView } from '#catalog/transformers/subscription'
