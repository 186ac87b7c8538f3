import { defineOperation } from '#core/operations/operations'
import { connectToGuestForOperation } from '#instances/public_effects'
import { runAsOwner, SITE_OWNER_HOME } from '#guest/public_effects'
import Greeting from '#greetings/models/greeting'

export const GREETING_FILE = `${SITE_OWNER_HOME}/greeting.txt`

interface ApplyGreetingInput {
  greetingId: number
}

/**
 * Writes the file of a greeting, or deletes the file and the row. The step reads the row when it runs. So the newest
 * change wins if several operations of a greeting wait.
 */
export const applyGreetingOperation = defineOperation<ApplyGreetingInput>({
  kind: 'greeting.apply',
  // Queue `guest` is for commands in an instance, `transfer` for those that may take minutes.
  queue: 'guest',
  steps: [{ key: 'apply', label: 'Update the file in the instance', run: apply }],
  async failed({ greetingId }) {
    const greeting = await Greeting.find(greetingId)
    // A greeting with status `deleting` keeps this status, and the schedule tries again.
    if (greeting?.status === 'writing') await greeting.merge({ status: 'failed' }).save()
  },
})

async function apply({ greetingId }: ApplyGreetingInput): Promise<void> {
  const greeting = await Greeting.find(greetingId)
  if (!greeting) return
  const { machine } = await connectToGuestForOperation(greeting.serverInstanceId)
  if (greeting.status === 'deleting') {
    await runAsOwner(machine, 'The greeting could not be deleted', ['rm', '-f', GREETING_FILE])
    await greeting.delete()
    return
  }
  const { text } = greeting
  await runAsOwner(machine, 'The greeting could not be written', ['tee', GREETING_FILE], {
    stdin: `${text}\n`,
  })
  // If the text has changed meanwhile, the status stays, and another operation writes the new text.
  await Greeting.query().where({ id: greetingId, text }).update({ status: 'written' })
}
