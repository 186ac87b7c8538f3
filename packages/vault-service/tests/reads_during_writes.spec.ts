import { test } from '@japa/runner'
import { Agent } from 'node:http'
import { sendRequest, TestServing } from './test_server.js'
import { createTestVault, type CreatedVault } from './test_service.js'

const RUN_SECONDS = 4

/** Records the states that a value has had, and which of them a reader may still see. */
class History<State> {
  #all: State[]
  #told = 0

  constructor(first: State) {
    this.#all = [first]
  }

  /** Records that `work` changes the state. A reader that starts after `work` has resolved must see the new state. */
  async to(state: State, work: () => Promise<unknown>): Promise<void> {
    this.#all.push(state)
    await work()
    this.#told = this.#all.length - 1
  }

  /**
   * Call this before a read. After the read, call the returned function: it returns the states that the read may have
   * seen.
   */
  look(): () => State[] {
    const from = this.#told
    return () => this.#all.slice(from)
  }
}

test.group('Reads during writes', (group) => {
  let threads: TestServing[]
  let vault: CreatedVault
  let agent: Agent
  group.each.setup(async () => {
    const first = await TestServing.start()
    threads = [first, await TestServing.start(first)]
    vault = await createTestVault(first)
    agent = new Agent({ keepAlive: true })
    return async () => {
      agent.destroy()
      await threads[1].serving.close()
      await first.end()
    }
  })
  const any = () => threads[Math.floor(Math.random() * threads.length)]
  /** Repeats `work` for some seconds. On a slow machine, continues until `isEnough` returns true. */
  const during = async (work: () => Promise<unknown>, isEnough = () => true) => {
    const until = Date.now() + RUN_SECONDS * 1000
    while (Date.now() < until || !isEnough()) await work()
  }

  test('after a confirmed change, no thread serves the previous version', async ({ assert }) => {
    const keys = { 'X-Secret-Key': vault.secret, 'X-Access-Key-Id': String(vault.accountId) }
    const names = ['a.txt', 'b.txt', 'c.txt']
    const histories = names.map(() => new History(''))
    let [changes, reads, hits] = [0, 0, 0]
    const hasManyChanges = () => changes > 50

    const write = async (at: number) => {
      const query = `filename=${names[at]}`
      if (changes++ % 4 === 0) {
        await histories[at].to('', () =>
          any().ask(`/remove?${query}`, { method: 'DELETE', headers: keys, agent })
        )
        return
      }
      const text = `${changes} `.repeat(500)
      const form = new FormData()
      form.set('file', new Blob([text]), names[at])
      await histories[at].to(text, async () => {
        const got = await fetch(`${any().url}/upload`, {
          method: 'POST',
          headers: keys,
          body: form,
        })
        assert.equal(got.status, 200)
        await got.text()
      })
    }
    const read = async () => {
      const at = Math.floor(Math.random() * names.length)
      const possible = histories[at].look()
      const got = await sendRequest(any().url, `/${vault.key}/${names[at]}`, { agent })
      reads++
      if (got.status === 200) hits++
      const seen = got.status === 404 ? '' : got.text
      const states = possible()
      assert.isTrue(states.includes(seen), `${seen.slice(0, 9)} is none of ${states.length} states`)
    }
    await Promise.all([
      ...names.map((_, at) => during(() => write(at), hasManyChanges)),
      ...Array.from({ length: 12 }, () => during(read, hasManyChanges)),
    ])
    assert.isTrue(hasManyChanges())
    assert.isAbove(hits, reads / 4)
  })

  test('no thread serves objects of a vault that became private, suspended or deleted', async ({
    assert,
  }) => {
    await threads[0].put(vault, 'a.txt', 'a')
    const { id } = vault
    const isOpen = new History(200)
    const change = (status: number, what: object) =>
      isOpen.to(status, () => any().control.call('changeVault', { id, ...what }))
    const read = async () => {
      const possible = isOpen.look()
      const { status } = await sendRequest(any().url, `/${vault.key}/a.txt`, { agent })
      const states = possible()
      assert.isTrue(states.includes(status), `${status} is none of ${states.join()}`)
    }
    await Promise.all([
      during(async () => {
        await change(403, { isPrivate: true })
        await change(200, { isPrivate: false })
        await change(403, { state: 'suspended' })
        await change(200, { state: 'active' })
      }),
      ...Array.from({ length: 12 }, () => during(read)),
    ])
    await change(404, { state: 'deleted' })
    await read()
  })
})
