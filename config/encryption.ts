import env from '#start/env'
import { defineConfig, drivers } from '@adonisjs/core/encryption'

const encryption = defineConfig({
  default: 'gcm',
  list: { gcm: drivers.aes256gcm({ keys: [env.get('APP_KEY').release()], id: 'gcm' }) },
})

export default encryption

declare module '@adonisjs/core/types' {
  export interface EncryptorsList extends InferEncryptors<typeof encryption> {}
}
