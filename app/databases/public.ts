/** What other domains may use of databases. */
export {
  type CopyDestinationKey,
  type CopyDestinationProvider,
  countCopiesAtDestination,
  hasCopiesAtDestination,
  bindCopyDestinations,
} from '#databases/copy_destinations'
