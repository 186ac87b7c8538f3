import encryption from '@adonisjs/core/services/encryption'

export const encryptedColumn = {
  prepare: (value: string | null) => (value ? encryption.encrypt(value) : null),
  consume: (value: string | null) => (value ? encryption.decrypt<string>(value) : null),
  serializeAs: null,
}
