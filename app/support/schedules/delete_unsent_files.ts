import { defineSchedule } from '#core/schedules/schedules'
import { attachmentObjectName } from '#support/actions/store_files'
import { UNSENT_FILE_RETENTION_DAYS } from '#support/limits'
import Attachment from '#support/models/attachment'
import { removeSystemFiles } from '#vault/public'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'support.sweep',
  label: 'Deletes uploaded chat files that were never sent',
  every: 3_600,
  async run() {
    const files = await Attachment.query()
      .whereNull('messageId')
      .where('createdAt', '<', DateTime.now().minus({ days: UNSENT_FILE_RETENTION_DAYS }).toSQL()!)
      .limit(500)
    if (files.length === 0) return
    await removeSystemFiles(files.map(attachmentObjectName))
    const ids = files.map(({ id }) => id)
    await Attachment.query().whereIn('id', ids).whereNull('messageId').delete()
  },
})
