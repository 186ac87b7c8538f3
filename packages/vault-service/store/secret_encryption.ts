import { SecretCipher as ServiceSeal } from '#packages/service/secret_encryption'

export class VaultSecretCipher extends ServiceSeal {
  constructor(secret: string) {
    super('berth vault', secret)
  }
}
