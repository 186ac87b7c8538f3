import { defineDomain } from '#core/domains'

/** What others do inside an instance; people have nothing to do with it. */
export default defineDomain({ name: 'guest' })
