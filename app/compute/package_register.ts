/** What the catalogue tells others. */
import '#compute/package_offers'
