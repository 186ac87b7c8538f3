import type { OfferView, VersionView } from '#catalog/transformers/package'
import type { Verdict } from '#core/verdict'

/**
 * Props of this domain's page. Its calls: POST /admin/server-package/store and /update (with id)
 * { name, instance_type, server_series, specifications, pricing, offered, position }.
 */

/** `admin/server_package/list` */
export interface PackageListPage {
  packages: (OfferView & {
    instances: number
    position: number
    /** Newest first. */
    versions: VersionView[]
  })[]
  mayManage: Verdict
}
