/** Ports of a host that are given to instances. */
export const FIRST_PORT = 20_000
export const LAST_PORT = 29_999
