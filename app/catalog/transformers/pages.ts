import type { ServerOffer } from '#catalog/transformers/offer'
import type { OfferView, VersionView } from '#catalog/transformers/package'
import type { Verdict } from '#core/verdict'

/**
 * Props of this domain's page. Its calls: POST /admin/server-package/store and /update (with id)
 * { name, instance_type, server_series, specifications, pricing, offered, position }.
 */

declare module '#core/pages' {
  interface Pages {
    'admin/server_package/list': PackageListPage
    services: ServicesPage
  }
}

export interface ServicesPage {
  servers: ServerOffer[]
  /** US dollars, exact decimals. */
  prices: { storage: string; bandwidth: string; request: string; mail: string }
  included: { storageGb: number; bandwidthGb: number }
}

export interface PackageListPage {
  packages: (OfferView & {
    instances: number
    position: number
    /** Newest first. */
    versions: VersionView[]
  })[]
  mayManage: Verdict
}
