/** What the catalogue tells others. */
import '#catalog/offers'
