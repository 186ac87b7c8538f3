/** What other domains may use of the catalogue. */
export {
  type BillingPeriod,
  default as ServerPackage,
  type InstanceType,
  type Price,
  type Specifications,
} from '#catalog/models/server_package'
export { offeredPackages } from '#catalog/queries/packages'
export { promisedDisk, type Share, shareOf } from '#catalog/share'
export { stock } from '#catalog/stock'
export {
  type Offer,
  type OfferView,
  offerView,
  packageView,
  type PackageView,
} from '#catalog/transformers/package'
