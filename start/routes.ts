/** Every domain keeps its routes in a file of its own. */
import '#core/routes'
import '#identity/routes'
import '#compute/routes'
import '#compute/metrics/routes'
import '#terminal/routes'
import '#projects/routes'
import './soon_routes.js'
import '#git/routes'
