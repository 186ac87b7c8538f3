import { answer } from '#core/answers'
import { requireInstance } from '#files/queries/chosen_instance'
import { fixOwnership, machineOf } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

/** `POST /file-manager/fix-ownership`: what root made in the web root becomes its owner's again. */
export default class OwnershipsController {
  async store(ctx: HttpContext) {
    const instance = await requireInstance(ctx)
    const changed = await fixOwnership(await machineOf(instance))
    const what =
      changed === 1 ? '1 file or folder' : `${changed.toLocaleString('en')} files and folders`
    const message = changed === 0 ? 'All files already have the right owner.' : `${what} fixed.`
    answer(ctx, { message, data: { changed } })
  }
}
