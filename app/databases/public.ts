/** What other domains may use of databases. */
export { type CopyAt, type CopyKeeper, keepCopiesIn } from '#databases/copy_places'
