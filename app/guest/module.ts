import { defineModule } from '#core/modules'

/** What others do inside an instance; people have nothing to do with it. */
export default defineModule({ name: 'guest' })
