/** Replies to Berth's own mails, and customers' senders. */
export { getSender } from '#mail/queries/senders'
export { loadReplyAddress, type ReplyMailEntry, processEmailReplies } from '#mail/email_replies'
