/** What other domains may use of mail: answers to the product's own mails, and addresses that customers send from. */
export { getSender } from '#mail/queries/senders'
export { loadReplyAddress, type ReplyMailEntry, processEmailReplies } from '#mail/email_replies'
