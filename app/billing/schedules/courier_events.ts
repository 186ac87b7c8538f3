import { deleteOldCourierCalls } from '#billing/courier/signed_calls'
import { sendDueCourierEvents } from '#billing/courier/outgoing_events'
import { defineSchedule } from '#core/schedules/schedules'
import { Caller } from '#packages/service/webhooks'

let caller: Caller | undefined

export default defineSchedule({
  name: 'billing.courier',
  label: 'Sends bill decisions to Auto Courier',
  every: 5,
  async run(signal) {
    caller ??= new Caller({ allowPrivate: false })
    await sendDueCourierEvents(caller, signal)
    await deleteOldCourierCalls()
  },
})
