// The Node.js program that runs in a watchdog container. It reads the boosts of all instances from
// Incus, and restores the limits of those whose boost has ended. It stores nothing, so it can be
// killed at any time.
// oxlint-disable no-console -- The container has no logger.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 5_000
const MARK = 'user.berth.boost.'

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const socketPath = '\0berth-incus'
    const asked = request({ socketPath, method, path, timeout: 60_000 }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => (text += chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode < 300) return resolve(JSON.parse(text).metadata)
        reject(new Error(answer.statusCode + ' ' + text))
      })
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

async function lower({ name, config, devices }) {
  const change = (what) => call('PATCH', '/1.0/instances/' + encodeURIComponent(name), what)
  // If the disk is full, Incus cannot store its metadata there; the limits are lowered anyway.
  const patch = (settings) =>
    change({ config: settings }).catch(async (error) => {
      const { root } = devices
      if (!/disk quota exceeded|no space left/i.test(error.message) || !root?.size) throw error
      root.size = String(Number(root.size) + 64 * 1024 ** 2)
      await change({ devices: { root } })
      return change({ config: settings })
    })
  // In two requests: Incus 6.0.4 loses a CPU change that is combined with a memory change.
  await patch({ 'limits.memory': config[MARK + 'memory'] })
  await patch({ 'limits.cpu': config[MARK + 'cpu'] })
  const processes = config[MARK + 'processes']
  if (processes) await patch({ 'limits.processes': processes })
  const over = ['until', 'memory', 'cpu', 'processes'].map((what) => [MARK + what, ''])
  await patch(Object.fromEntries(over))
  console.log('lowered ' + name)
}

for (;;) {
  let next = Date.now() + LOOK_MS
  try {
    for (const instance of await call('GET', '/1.0/instances?recursion=1')) {
      const until = Number(instance.config[MARK + 'until'] || NaN)
      if (until <= Date.now()) await lower(instance).catch((error) => console.error(error.message))
      else if (until < next) next = until
    }
  } catch (error) {
    console.error(error.message)
  }
  await sleep(Math.max(100, next - Date.now()))
}
