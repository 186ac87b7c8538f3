/** What other domains may use of live support: taking answers by mail in (`incoming.address` says where they go). */
export { incoming, type IncomingReply, receiveReply } from '#support/incoming'
