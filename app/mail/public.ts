/** What other domains may use of mail: answers to the product's own mails, and addresses that customers send from. */
export { findSender } from '#mail/queries/senders'
export { replyAddress, type ReplyEntry, processReplies } from '#mail/replies'
