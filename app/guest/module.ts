import { defineModule } from '#core/modules'

/** Has no pages. */
export default defineModule({ name: 'guest' })
