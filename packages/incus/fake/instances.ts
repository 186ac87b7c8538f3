import type { ServerResponse } from 'node:http'
import type { Device, Instance, InstanceState } from '../instances.ts'
import type { FakeRequest } from './http.ts'
import { sendMetadata, checkEtag, FakeError, parseJsonBody } from './http.ts'
import { startOperationAndRespond } from './operations.ts'
import type { FakePrograms } from './programs.ts'
import type { FakeInstance, FakeState } from './state.ts'
import { instanceAddress } from './state.ts'

interface InstanceBody {
  name?: string
  type?: Instance['type']
  description?: string
  profiles?: string[]
  config?: Record<string, string>
  devices?: Record<string, Device>
  start?: boolean
  source?: { type: string; alias?: string }
}

const SLOW_OPERATION_MS = 400

export function handleInstances(
  state: FakeState,
  programs: FakePrograms,
  request: FakeRequest,
  response: ServerResponse
): void {
  const [, name, part] = request.parts
  const { method } = request
  if (!name) {
    if (method === 'POST') return create(state, request, response)
    const recursion = Number(request.query.get('recursion') ?? 0)
    const all = [...state.instances.values()]
    return sendMetadata(
      response,
      all.map((each) =>
        recursion === 0
          ? `/1.0/instances/${each.instance.name}`
          : recursion === 1
            ? each.instance
            : { ...each.instance, state: stateOf(each) }
      )
    )
  }
  const fakeInstance = state.instances.get(name)
  if (!fakeInstance) throw new FakeError(404, 'Instance not found')
  const { instance } = fakeInstance
  switch (part) {
    case undefined:
      return one(state, fakeInstance, request, response)
    case 'state':
      if (method === 'GET') return sendMetadata(response, stateOf(fakeInstance))
      return changeState(state, fakeInstance, request, response)
    case 'exec':
      return programs.start(name, request, response)
    case 'files':
      return files(fakeInstance, request, response)
  }
  throw new FakeError(404, `not found: ${instance.name}/${part}`)
}

function create(state: FakeState, request: FakeRequest, response: ServerResponse): void {
  const body = parseJsonBody<InstanceBody>(request)
  const name = body.name ?? ''
  if (!/^[a-z][a-z0-9-]{0,61}[a-z0-9]$|^[a-z]$/i.test(name)) {
    throw new FakeError(400, `Invalid instance name: ${name}`)
  }
  if (state.instances.has(name)) throw new FakeError(409, `Instance "${name}" already exists`)
  if (body.source?.type === 'image' && !state.aliases.has(body.source.alias ?? '')) {
    throw new FakeError(404, 'Image not found')
  }
  const work = () => {
    if (name.includes('fail-create')) throw new Error('Failed creating instance from image')
    if (state.instances.has(name)) throw new Error(`Instance "${name}" already exists`)
    const created = newInstance(state, body)
    state.instances.set(name, created)
    if (body.start) start(state, created)
  }
  startOperationAndRespond(
    state,
    response,
    'Creating instance',
    work,
    name.includes('slow-create') ? SLOW_OPERATION_MS : 1
  )
}

function newInstance(state: FakeState, body: InstanceBody): FakeInstance {
  const instance: Instance = {
    name: body.name!,
    description: body.description ?? '',
    type: body.type ?? 'container',
    status: 'Stopped',
    status_code: 102,
    architecture: 'x86_64',
    location: 'none',
    project: 'default',
    created_at: new Date().toISOString(),
    ephemeral: false,
    stateful: false,
    profiles: body.profiles ?? ['default'],
    config: { ...body.config },
    devices: { ...body.devices },
    expanded_config: {},
    expanded_devices: {},
  }
  const created = { instance, files: new Map(), startedAt: 0 }
  instance.config['volatile.eth0.address'] = state.freeAddress()
  expand(state, instance)
  return created
}

function expand(state: FakeState, instance: Instance): void {
  const profiles = instance.profiles.flatMap((name) => state.profiles.get(name) ?? [])
  instance.expanded_config = Object.assign({}, ...profiles.map((p) => p.config), instance.config)
  instance.expanded_devices = Object.assign({}, ...profiles.map((p) => p.devices), instance.devices)
}

function start(_state: FakeState, fakeInstance: FakeInstance): void {
  const { instance } = fakeInstance
  if (instance.name.includes('fail-start')) throw new Error('Failed to start the instance')
  instance.status = 'Running'
  instance.status_code = 103
  fakeInstance.startedAt = Date.now()
}

function stop(fakeInstance: FakeInstance): void {
  fakeInstance.instance.status = 'Stopped'
  fakeInstance.instance.status_code = 102
}

function one(
  state: FakeState,
  fakeInstance: FakeInstance,
  request: FakeRequest,
  response: ServerResponse
): void {
  const { instance } = fakeInstance
  const { name } = instance
  if (request.method === 'GET') return sendMetadata(response, instance, writable(instance))
  if (request.method === 'DELETE') {
    if (instance.status === 'Running') throw new FakeError(400, 'Instance is running')
    return startOperationAndRespond(state, response, 'Deleting instance', () => {
      if (name.includes('fail-delete')) throw new Error('Failed to delete the instance')
      state.instances.delete(name)
    })
  }
  const body = parseJsonBody<InstanceBody>(request)
  if (request.method === 'POST') {
    const newName = body.name ?? ''
    if (instance.status === 'Running') throw new FakeError(400, 'Instance is running')
    if (state.instances.has(newName)) throw new FakeError(409, `"${newName}" already exists`)
    return startOperationAndRespond(state, response, 'Renaming instance', () => {
      state.instances.delete(name)
      instance.name = newName
      state.instances.set(newName, fakeInstance)
    })
  }
  checkEtag(request, writable(instance))
  if (request.method === 'PATCH') {
    Object.assign(instance, {
      description: body.description ?? instance.description,
      profiles: body.profiles ?? instance.profiles,
      config: { ...instance.config, ...body.config },
      devices: { ...instance.devices, ...body.devices },
    })
    expand(state, instance)
    return sendMetadata(response, {})
  }
  startOperationAndRespond(state, response, 'Updating instance', () => {
    if (name.includes('fail-update')) throw new Error('Failed to update the instance')
    Object.assign(instance, {
      description: body.description ?? '',
      profiles: body.profiles ?? [],
      config: body.config ?? {},
      devices: body.devices ?? {},
    })
    expand(state, instance)
  })
}

function writable({ description, profiles, config, devices }: Instance): unknown {
  return { description, profiles, config, devices }
}

function changeState(
  state: FakeState,
  fakeInstance: FakeInstance,
  request: FakeRequest,
  response: ServerResponse
): void {
  const { action } = parseJsonBody<{ action: string }>(request)
  const { instance } = fakeInstance
  startOperationAndRespond(state, response, `Instance ${action}`, () => {
    if (action === 'start' && instance.status === 'Running') {
      throw new Error('The instance is already running')
    }
    if (action === 'stop' && instance.status === 'Stopped') {
      throw new Error('The instance is already stopped')
    }
    if (action === 'stop' && instance.name.includes('fail-stop')) {
      throw new Error('Failed to stop the instance')
    }
    if (action === 'stop') return stop(fakeInstance)
    if (action === 'freeze') {
      instance.status = 'Frozen'
      instance.status_code = 110
      return
    }
    start(state, fakeInstance)
  })
}

function stateOf(fakeInstance: FakeInstance): InstanceState {
  const { instance } = fakeInstance
  const running = instance.status === 'Running'
  const address = instanceAddress(fakeInstance)
  return {
    status: instance.status,
    status_code: instance.status_code,
    pid: running ? 1000 : 0,
    processes: running ? 12 : 0,
    cpu: { usage: running ? (Date.now() - fakeInstance.startedAt) * 10_000 : 0 },
    memory: running
      ? { usage: 50_000_000, usage_peak: 60_000_000, total: 536_870_912 }
      : { usage: 0, usage_peak: 0, total: 0 },
    disk: { root: { usage: 10_000_000, total: 0 } },
    network: running
      ? {
          eth0: {
            addresses: address ? [{ family: 'inet', address, netmask: '24', scope: 'global' }] : [],
            counters: { bytes_received: 1000, bytes_sent: 500 },
            hwaddr: '10:66:6a:00:00:01',
            state: 'up',
            type: 'broadcast',
          },
        }
      : null,
  }
}

function files(fakeInstance: FakeInstance, request: FakeRequest, response: ServerResponse): void {
  const path = (request.query.get('path') ?? '').replace(/\/+$/, '') || '/'
  const file = fakeInstance.files.get(path)
  if (request.method === 'POST') {
    const header = (name: string) => String(request.headers[`x-incus-${name}`] ?? '')
    const type = header('type') as 'file' | 'directory'
    fakeInstance.files.set(path, {
      type,
      content: request.body,
      uid: Number(header('uid')),
      gid: Number(header('gid')),
      mode: header('mode'),
    })
    return sendMetadata(response, {})
  }
  const below = [...fakeInstance.files.keys()].filter((key) => key.startsWith(`${path}/`))
  if (!file && below.length === 0) throw new FakeError(404, 'file does not exist')
  if (request.method === 'DELETE') {
    if (below.length > 0) throw new FakeError(400, 'directory is not empty')
    fakeInstance.files.delete(path)
    return sendMetadata(response, {})
  }
  const type = file?.type ?? 'directory'
  const headers = {
    'x-incus-type': type,
    'x-incus-uid': String(file?.uid ?? 0),
    'x-incus-gid': String(file?.gid ?? 0),
    'x-incus-mode': file?.mode ?? '0755',
  }
  if (type === 'directory') {
    const names = new Set(below.map((key) => key.slice(path.length + 1).split('/')[0]))
    for (const [key, value] of Object.entries(headers)) response.setHeader(key, value)
    return answerDirectory(response, [...names] as string[])
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', ...headers })
  response.end(file!.content)
}

function answerDirectory(response: ServerResponse, names: string[]): void {
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ type: 'sync', status: 'Success', status_code: 200, metadata: names })
  )
}
