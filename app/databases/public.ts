/** What other domains may use of databases. */
export {
  type CopyAt,
  type CopyKeeper,
  copiesIn,
  hasCopies,
  keepCopiesIn,
} from '#databases/copy_places'
