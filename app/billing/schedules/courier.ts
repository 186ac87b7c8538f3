import { forgetCourierCalls } from '#billing/courier/calls'
import { tellDecisions } from '#billing/courier/events'
import { defineSchedule } from '#core/schedules/schedules'
import { Caller } from '#packages/service/webhooks'

let caller: Caller | undefined

export default defineSchedule({
  name: 'billing.courier',
  label: 'Sends bill decisions to Auto Courier',
  every: 5,
  async run(signal) {
    caller ??= new Caller({ allowPrivate: false })
    await tellDecisions(caller, signal)
    await forgetCourierCalls()
  },
})
