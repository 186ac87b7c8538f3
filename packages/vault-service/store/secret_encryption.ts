import { SecretCipher as ServiceSeal } from '#packages/service/secret_encryption'

/** Encrypts secrets with VAULT_KEY. */
export class VaultSecretCipher extends ServiceSeal {
  constructor(secret: string) {
    super('berth vault', secret)
  }
}
