import type { PackageWithAvailabilityView, VersionView } from '#catalog/transformers/package'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'

declare module '#core/page_props' {
  interface PagePropsByFile {
    services: ServicesPage
    'admin/server_package/list': PackageListPage
  }
}

export interface PackageRow extends PackageWithAvailabilityView {
  instances: number
  position: number
  /** Newest first. */
  versions: VersionView[]
}

export interface PackageListPage extends ListMeta {
  packages: PackageRow[]
  packageStatus: StatusLabels
  mayManage: Permission
}

export interface ServicesPage {
  servers: ServerOffer[]
  /** US dollars, exact decimals. */
  prices: { storage: string; bandwidth: string; request: string; mail: string }
  included: { storageGb: number; bandwidthGb: number }
  /** Percentage for payments by mobile money; `0` for none. */
  feePercent: string
}

export interface ServerOffer {
  name: string
  instance_type: string
  server_series: string
  /** Whether no host has capacity for the package now. */
  sold_out: boolean
  specifications: Record<string, { value: number | string; unit?: string; type?: string }>
  /** US dollars, exact decimals. */
  pricing: { period: string; price: string }[]
}
