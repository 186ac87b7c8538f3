import { Seal as ServiceSeal } from '#packages/service/seal'

/** Seals what must be known again with VAULT_KEY. */
export class Seal extends ServiceSeal {
  constructor(secret: string) {
    super('berth vault', secret)
  }
}
