/** What other domains may use of the vault. */
export { keepInHouse, readFromHouse, removeFromHouse, whyHouseKeepsNothing } from '#vault/house'
export { findVault } from '#vault/queries/vaults'
