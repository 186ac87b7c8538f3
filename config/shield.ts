import app from '@adonisjs/core/services/app'
import { isCsrfExempt } from '#core/modules'
import env from '#start/env'
import { gatewayUrl, vaultUrl } from '#config/services'
import { secureCookies } from '#config/app'
import { defineConfig } from '@adonisjs/shield'

export default defineConfig({
  csp: {
    enabled: !app.inDev,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", '@nonce'],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:', vaultUrl],
      mediaSrc: ["'self'", 'blob:', vaultUrl],
      frameSrc: ["'self'", 'blob:', vaultUrl],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'", gatewayUrl, vaultUrl],
      workerSrc: ["'self'", 'blob:'],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      formAction: ["'self'", 'https://accounts.google.com'],
      frameAncestors: ["'none'"],
      upgradeInsecureRequests: secureCookies ? [] : null,
    },
    reportOnly: false,
  },
  csrf: {
    enabled: true,
    // Tests that send requests without a browser have no CSRF token. Browser tests, and the tests of CSRF protection
    // itself, turn the check on.
    exceptRoutes: ({ route }) =>
      isCsrfExempt(route?.pattern ?? '') ||
      (env.get('NODE_ENV') === 'test' && process.env.CSRF !== 'on'),
    enableXsrfCookie: true,
    methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  },
  xFrame: { enabled: true, action: 'DENY' },
  hsts: { enabled: secureCookies, maxAge: '180 days' },
  contentTypeSniffing: { enabled: true },
})
