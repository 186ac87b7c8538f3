import { regionalSettings } from '#core/settings/regional_settings'
import { renderPage } from '#core/render_page'
import { listOfferedPackagesSortedByType } from '#catalog/queries/offered_packages'
import { serverOffer } from '#catalog/transformers/server_offer'
import type { HttpContext } from '@adonisjs/core/http'

/** Free quantities per vault (bucket) and month (docs/product.md, "Vault"). */
const included = { storageGb: 5, bandwidthGb: 10 }

export default class ServicesController {
  async index(ctx: HttpContext) {
    const servers = (await listOfferedPackagesSortedByType()).map(serverOffer)
    const { prices, feePercent } = regionalSettings()
    return renderPage(ctx, 'services', { servers, prices, included, feePercent })
  }
}
