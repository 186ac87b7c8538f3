/** Range of host ports that are forwarded to instances. */
export const FIRST_INSTANCE_PORT = 20_000
export const LAST_INSTANCE_PORT = 29_999
