/** What other domains may use of the work inside an instance. */
export * from '#guest/machine/public'
