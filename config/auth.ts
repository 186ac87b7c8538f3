import { defineConfig } from '@adonisjs/auth'
import { sessionGuard, sessionUserProvider } from '@adonisjs/auth/session'
import type { Authenticators, InferAuthEvents, InferAuthenticators } from '@adonisjs/auth/types'

const provider = sessionUserProvider({ model: () => import('#identity/models/person') })

const auth = defineConfig({
  default: 'customer',
  guards: {
    customer: sessionGuard({ useRememberMeTokens: false, provider }),
    staff: sessionGuard({ useRememberMeTokens: false, provider }),
  },
})

export default auth

declare module '@adonisjs/auth/types' {
  export interface Authenticators extends InferAuthenticators<typeof auth> {}
}
declare module '@adonisjs/core/types' {
  interface EventsList extends InferAuthEvents<Authenticators> {}
}
