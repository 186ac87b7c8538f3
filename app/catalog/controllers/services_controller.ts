import { regionalSettings } from '#core/settings/regional_settings'
import { renderPage } from '#core/render_page'
import { listOfferedPackagesSortedByType } from '#catalog/queries/offered_packages'
import { packageAvailabilityProvider } from '#catalog/package_availability_provider'
import { serverOffer } from '#catalog/transformers/server_offer'
import type { HttpContext } from '@adonisjs/core/http'

/** Free per vault (bucket) and month. */
const included = { storageGb: 5, bandwidthGb: 10 }

export default class ServicesController {
  async index(ctx: HttpContext) {
    const packages = await listOfferedPackagesSortedByType()
    const offers = await packageAvailabilityProvider.offersOf(packages)
    const servers = offers.map(({ row, room }) => ({
      ...serverOffer(row),
      sold_out: !room.allowed,
    }))
    const { prices, feePercent } = regionalSettings()
    return renderPage(ctx, 'services', { servers, prices, included, feePercent })
  }
}
