import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'
import { HttpContext } from '@adonisjs/core/http'

// Default for all routes. On routes with `signedIn`, that middleware replaces it.
HttpContext.getter('actor', () => {
  throw new Error('ctx.actor needs the middleware signedIn. Other routes read ctx.actorIfSignedIn.')
})

server.errorHandler(() => import('#core/exception_handler'))

server.use([
  () => import('#core/middleware/request_id_middleware'),
  () => import('#core/middleware/common_headers_middleware'),
  () => import('#core/middleware/health_middleware'),
  () => import('#core/middleware/not_modified_middleware'),
  () => import('#core/middleware/compression_middleware'),
  () => import('#core/middleware/public_files_middleware'),
  () => import('@adonisjs/vite/vite_middleware'),
  () => import('#core/middleware/inertia_middleware'),
])

router.use([
  () => import('#core/middleware/body_middleware'),
  () => import('#core/middleware/area_session_middleware'),
  () => import('@adonisjs/auth/initialize_auth_middleware'),
  // Must come before the shield, so that the error page for a rejected request shows the menu of a signed-in person.
  () => import('#identity/middleware/actor_middleware'),
  () => import('#core/middleware/area_shield_middleware'),
  () => import('#core/middleware/reject_invalid_input_middleware'),
])

export const middleware = router.named({
  signedIn: () => import('#identity/middleware/signed_in_middleware'),
  can: () => import('#identity/middleware/ability_middleware'),
  sameSite: () => import('#core/middleware/require_same_site_middleware'),
})
