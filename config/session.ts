import { secureCookies } from '#config/app'
import { defineConfig, stores } from '@adonisjs/session'

/** The console and the staff area have separate session cookies (app/core/middleware/area_session_middleware.ts). */
export default defineConfig({
  enabled: true,
  cookieName: 'berth-customer',
  clearWithBrowser: false,
  age: '7 days',
  cookie: { path: '/', httpOnly: true, secure: secureCookies, sameSite: 'lax' },
  store: 'database',
  stores: { database: stores.database() },
})
