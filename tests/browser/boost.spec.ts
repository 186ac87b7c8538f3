import { actorOf } from '#identity/public'
import { orderInstance } from '#instances/actions/order_instance'
import { endBoosts } from '#instances/schedules/end_boosts'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { runSteps } from '#core/operations/runner'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import {
  createHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
/** Operations on a real instance take seconds, but minutes on a busy machine. */
const MACHINE_TIMEOUT_MS = 480_000

test.group('Build Mode', (group) => {
  let host: HostInstance

  const stops: (() => Promise<unknown>)[] = []

  group.setup(async () => {
    if (!socket) return
    stops.push(await disableOtherHosts())
    host = await createHost(socket)
    stops.push(() => retireHosts(host))
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('raises the limits of a running instance for a while, and counts down the remaining time and the pause', async () => {
    const customer = await makeCustomer()
    const option = await createSmallPackage('regular')
    const { instance, operation } = await orderInstance(await actorOf(customer), {
      name: uniqueName('build'),
      instanceType: 'regular',
      serverPackageId: option.id,
      billingPeriod: 'month',
    })
    await option.merge({ offered: false }).save()
    await runSteps(operation.id)
    const { systemId } = await instance.refresh()
    const limits = async () => {
      const { config } = await incusClientFor(host).instances.get(systemId!)
      return [config['limits.cpu'], config['limits.memory']]
    }
    const usual = ['1', `${256 * 1024 ** 2}B`]
    const { context, page } = await openBrowser()
    try {
      await signInByRequest(page, customer)
      await visit(page, `/server-instance/${instance.id}`)
      const panel = page.getByRole('region', { name: 'Build Mode' })
      assert.deepEqual(await limits(), usual)
      await panel.getByRole('button', { name: 'Enable Boost' }).click()
      await countsDown(page, /^Boost Active For: (\d+)s$/, 15 * 60)
      const most = String(Math.min(4, host.cpuTotal))
      assert.deepEqual(await limits(), [most, `${512 * 1024 ** 2}B`])
      await takeScreenshots(page, 'boost-active')

      // Simulates that the 15 minutes of the boost are over.
      const past = new Date(Date.now() - 1_000)
      await ServerInstance.query().where('id', instance.id).update({ boosted_until: past })
      await endBoosts()
      assert.deepEqual(await limits(), usual)
      await visit(page, `/server-instance/${instance.id}`)
      await countsDown(page, /^Boost Available In: (\d+)s$/, 75 * 60)
      await takeScreenshot(page, 'boost-pause')

      // The pause ends while the page is open. The button must return without a reload.
      const soon = new Date(Date.now() + 20_000)
      await ServerInstance.query().where('id', instance.id).update({ boost_available_at: soon })
      await visit(page, `/server-instance/${instance.id}`)
      await panel.getByRole('button', { name: 'Enable Boost' }).waitFor()
    } catch (error) {
      await takeScreenshot(page, 'boost-stopped-here')
      throw error
    } finally {
      await context.close()
      await runSteps((await deleteInstance(await actorOf(customer), instance.id)).id)
    }
  })
    .skip(!socket, 'needs an Incus: set INCUS_SOCKET')
    .timeout(2 * MACHINE_TIMEOUT_MS)
})

/** Checks that the page shows the countdown, that it is at most `atMost` seconds, and that it decreases. */
async function countsDown(page: Page, words: RegExp, atMost: number) {
  const timer = page.getByRole('timer')
  const seconds = async () => Number(words.exec(await timer.innerText())?.[1])
  await timer.filter({ hasText: words }).waitFor()
  const first = await seconds()
  assert.ok(first > 0 && first <= atMost, `${first} s`)
  await eventually(async () => assert.ok((await seconds()) <= first - 2))
}
