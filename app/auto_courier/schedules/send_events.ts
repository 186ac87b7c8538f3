import { deleteOldCourierRequests } from '#auto_courier/signed_requests'
import { sendDueCourierEvents } from '#auto_courier/outgoing_events'
import { defineSchedule } from '#core/schedules/schedules'
import { WebhookClient } from '#packages/service/webhooks'

let caller: WebhookClient | undefined

export default defineSchedule({
  name: 'billing.courier',
  label: 'Sends bill decisions to Auto Courier',
  every: 5,
  async run(signal) {
    caller ??= new WebhookClient({ allowPrivate: false })
    await sendDueCourierEvents(caller, signal)
    await deleteOldCourierRequests()
  },
})
