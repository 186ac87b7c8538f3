import { defineConfig, drivers } from '@adonisjs/core/hash'
import app from '@adonisjs/core/services/app'

/**
 * Cost of hashing a password with scrypt. It is low in tests, which create thousands of people whose passwords need no
 * protection.
 */
const cost = app.inTest ? 1_024 : 16_384

const hash = defineConfig({
  default: 'scrypt',
  list: {
    scrypt: drivers.scrypt({ cost, blockSize: 8, parallelization: 1, maxMemory: 33554432 }),
  },
})

export default hash

declare module '@adonisjs/core/types' {
  export interface HashersList extends InferHashers<typeof hash> {}
}
