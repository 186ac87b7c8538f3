import { defineModule } from '#core/modules'

/** Functions for other modules that work inside an instance. Has no pages. */
export default defineModule({ name: 'guest' })
