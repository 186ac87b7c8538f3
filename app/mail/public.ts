export { getSender } from '#mail/queries/senders'
export { loadReplyAddress, type ReplyMailEntry, processEmailReplies } from '#mail/email_replies'
