/** What other domains may use of databases. */
export {
  type DestinationOfAccount,
  type CopyDestinationProvider,
  countCopiesIn,
  hasCopies,
  bindCopyDestinations,
} from '#databases/copy_destinations'
