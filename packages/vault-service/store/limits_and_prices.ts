/** docs/product.md, "Vault". */
export const MAX_OBJECT_BYTES = 5 * 1_024 ** 3

/**
 * Included usage per vault and month, and default prices beyond it in USD (specification, section 9). A GB is 10^9
 * bytes.
 */
export const vaultPrices = {
  gb: 1_000_000_000,
  includedStorageGb: 5,
  includedBandwidthGb: 10,
  storageGb: '0.15',
  bandwidthGb: '0.18',
  request: '0.0001',
} as const
