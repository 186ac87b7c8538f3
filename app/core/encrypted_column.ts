import encryption from '@adonisjs/core/services/encryption'

/** A column that only this application can read. */
export const encryptedColumn = {
  prepare: (value: string | null) => (value ? encryption.encrypt(value) : null),
  consume: (value: string | null) => (value ? encryption.decrypt<string>(value) : null),
  serializeAs: null,
}
