import { defineModule } from '#core/modules'

export default defineModule({ name: 'guest' })
