/** What other domains may use of mail: answers to the product's own mails. */
export { replyAddress, type ReplyEntry, takeReplies } from '#mail/replies'
